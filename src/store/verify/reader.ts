import type { RecordedEvent } from "../../event.ts";
import type { PassedEvent } from "./chain.ts";
import type { Held, LineColumns, LogSize, ObjectColumns, PagedRows, StreamRows } from "./rows.ts";

/** Reads a log to verify it. Others may write meanwhile. */
export interface LogReader {
  /**
   * Does a piece of the work: all that it reads is of one moment. A long read of one moment keeps a
   * store from cleaning up behind writers, so pieces are short.
   */
  at<T>(piece: (moment: Moment) => Promise<T>): Promise<T>;
}

/**
 * A log and what follows from it, as of one moment. Pages go on behind a row; they hold as many
 * rows as one piece of work is to look at, at least one, and are empty where nothing is left.
 */
export interface Moment {
  size(): Promise<LogSize>;
  /** The link of the event at a position; undefined where there is none. */
  linkAt(position: bigint): Promise<Uint8Array | undefined>;

  /** Events behind a position and up to another, by their positions. */
  events(after: bigint, through: bigint): Promise<readonly PassedEvent[]>;
  /** Events of the streams behind one, or of all: by stream and version. */
  inStreams(after: string | undefined): Promise<readonly RecordedEvent[]>;
  /** Events of one stream behind a version. */
  ofStream(stream: string, after: bigint): Promise<readonly RecordedEvent[]>;

  /** Rows behind one, or of all. */
  page<Name extends keyof PagedRows>(
    name: Name,
    after: PagedRows[Name] | undefined,
  ): Promise<readonly PagedRows[Name][]>;
  /** Lines of messages that have no turn. */
  linesWithoutTurn(): Promise<readonly LineColumns[]>;

  /** The objects of streams, by stream. */
  objectsOf(streams: readonly string[]): Promise<ReadonlyMap<string, ObjectColumns>>;
  /** What there is in the places of rows. */
  found(rows: StreamRows): Promise<Held>;
}

/** The sizes of the tables that follow from a log, objects apart. */
export interface RowCounts {
  readonly claims: number;
  readonly fields: number;
  readonly messages: number;
}

/** Looks at all rows, a page in each piece. */
export async function walk<Row>(
  reader: LogReader,
  read: (moment: Moment, after: Row | undefined) => Promise<readonly Row[]>,
  look: (rows: readonly Row[], moment: Moment) => Promise<void> | void,
): Promise<void> {
  for (let last: Row | undefined; ; ) {
    const rows = await reader.at(async (moment) => {
      const page = await read(moment, last);
      await look(page, moment);
      return page;
    });
    if (rows.length === 0) return;
    last = rows.at(-1);
  }
}

/** The same of all rows of one kind. */
export async function walkRows<Name extends keyof PagedRows>(
  reader: LogReader,
  name: Name,
  look: (rows: readonly PagedRows[Name][], moment: Moment) => Promise<void> | void,
): Promise<void> {
  await walk<PagedRows[Name]>(reader, (moment, after) => moment.page(name, after), look);
}
