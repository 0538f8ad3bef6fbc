import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeJournal } from "../disk/disk.ts";
import { openMarks, type Recorded, readJournal } from "../disk/journal.ts";
import type { Random } from "../gateway/native/random.ts";
import { type Call, type Problem, type Row, readRows } from "./ledger.ts";
import { createSeries, judge, load } from "./series.ts";

/** A service that ran on a disk with a journal, from its first start to an end in good order. */
export interface Recording {
  /** The directory below which the journal is about files; the data directory is in it. */
  readonly root: string;
  readonly journal: readonly Recorded[];
  readonly calls: readonly Call[];
  /** The log at the end, and the token that the first start left. */
  readonly rows: readonly Row[];
  readonly token: string;
  /** What was wrong at the end already, without any loss of power. */
  readonly problems: readonly Problem[];
}

/** The mark of a service that said that it listens; other marks are numbers of answered calls. */
export const listeningMark = 2 ** 40;

/** How a recording is made. */
export interface RecordingOptions {
  /** Where it is kept, and can be read again. */
  readonly directory: string;
  readonly compiler: string;
  readonly random: Random;
  /** How often the service is started, and the answers after which it is stopped each time. */
  readonly runs: number;
  readonly answers: number;
  readonly project?: string;
}

/** Makes a recording in the directory. */
export async function record(options: RecordingOptions): Promise<Recording> {
  const { directory, compiler, random, runs, answers } = options;
  const [journal, root] = [join(directory, "journal"), join(directory, "disk")];
  await mkdir(root, { recursive: true });
  const env = await makeJournal(compiler, directory, { journal, root });
  const marks = openMarks(journal);
  const { project } = options;
  const dataDir = join(root, "data");
  const series = createSeries({ dataDir, random, env, ...(project ? { project } : {}) });
  for (let run = 0; run < runs; run += 1) {
    const service = series.start();
    await service.listening;
    marks.add(listeningMark);
    const over = new AbortController();
    let left = answers;
    const answered = ({ number }: Call) => {
      marks.add(number);
      left -= 1;
      if (left <= 0) over.abort();
    };
    await load(series, service, { answered, over: over.signal });
    service.kill("SIGTERM");
    await service.ended;
  }
  marks.close();
  const problems = await judge(series);
  await writeFile(join(directory, "calls.json"), JSON.stringify(series.calls));
  return { ...(await readRecording(directory)), problems };
}

/** Reads a recording that is in the directory. */
export async function readRecording(directory: string): Promise<Recording> {
  const root = join(directory, "disk");
  const dataDir = join(root, "data");
  return {
    root,
    journal: readJournal(await readFile(join(directory, "journal"))),
    calls: JSON.parse(await readFile(join(directory, "calls.json"), "utf8")),
    rows: readRows(join(dataDir, "iam.db")),
    token: await readFile(join(dataDir, "admin.token"), "utf8"),
    problems: [],
  };
}
