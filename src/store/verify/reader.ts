import type { Claim, RecordedEvent } from "../../event.ts";
import type { MessageKey } from "../message.ts";
import type { PassedEvent } from "./chain.ts";
import type {
  ClaimRow,
  CountRow,
  FieldColumns,
  FieldRow,
  LineColumns,
  MessageRow,
  ObjectColumns,
  ObjectRow,
} from "./rows.ts";

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
  /** How many events there are from position 1 on, and the highest position; 0 for none. */
  size(): Promise<{ readonly events: number; readonly end: bigint }>;
  /** The link of the event at a position; undefined where there is none. */
  linkAt(position: bigint): Promise<Uint8Array | undefined>;

  /** Events behind a position and up to another, by their positions. */
  events(after: bigint, through: bigint): Promise<readonly PassedEvent[]>;
  /** Events of the streams behind one, or of all: by stream and version. */
  inStreams(after: string | undefined): Promise<readonly RecordedEvent[]>;
  /** Events of one stream behind a version. */
  ofStream(stream: string, after: bigint): Promise<readonly RecordedEvent[]>;

  objects(after: ObjectRow | undefined): Promise<readonly ObjectRow[]>;
  claims(after: ClaimRow | undefined): Promise<readonly ClaimRow[]>;
  fields(after: FieldRow | undefined): Promise<readonly FieldRow[]>;
  messages(after: MessageRow | undefined): Promise<readonly MessageRow[]>;
  /** How many objects lists see under each parent, with what `counts` says. */
  groups(after: CountRow | undefined): Promise<readonly CountRow[]>;
  /** What `counts` says of groups, with how many objects there are: 0, or any other number. */
  counts(after: CountRow | undefined): Promise<readonly CountRow[]>;
  /** Lines of messages that have no turn. */
  linesWithoutTurn(): Promise<readonly LineColumns[]>;

  /** The objects of streams, by stream. */
  objectsOf(streams: readonly string[]): Promise<ReadonlyMap<string, ObjectColumns>>;
  /** The streams that hold claims, by `claimKey`. */
  holdersOf(claims: readonly Claim[]): Promise<ReadonlyMap<string, string>>;
  /** The texts of fields as they are, by `fieldPlace`. */
  exactsOf(fields: readonly FieldColumns[]): Promise<ReadonlyMap<string, string>>;
  /** Those of the messages that are pending, by `messageKey`. */
  pendingOf(keys: readonly MessageKey[]): Promise<ReadonlySet<string>>;
  /** How many rows there are. */
  rowCounts(): Promise<RowCounts>;
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
