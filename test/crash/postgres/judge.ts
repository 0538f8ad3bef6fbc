import { runOn } from "../../harness/postgres-cluster.ts";
import { startProcess } from "../../harness/process.ts";
import { type Call, compare, type Problem, type Row } from "../ledger.ts";

/** A log in PostgreSQL, and who vouches for it. */
export interface Judged {
  readonly url: string;
  /** The settings of the log, and the data directory of a node of it. */
  readonly env: { readonly [name: string]: string };
  readonly dataDir: string;
  /** The copy of the project that wrote it: what it is to be like, that one knows. */
  readonly project: string;
}

/**
 * What is wrong with a log, of which all calls are known that were ever made: what `compare` says
 * of it, and what `verify` does.
 */
export async function judgeLog(
  { url, env, dataDir, project }: Judged,
  calls: readonly Call[],
): Promise<readonly Problem[]> {
  const verify = startProcess(["verify", `--data-dir=${dataDir}`], { env, project });
  const { code } = await verify.ended;
  const said = `${verify.stdout()}${verify.stderr()}`.trim().split("\n");
  const damages = code === 0 ? [] : said.map((text): Problem => ({ kind: "damaged", text }));
  return [...compare(await readRows(url), calls), ...damages];
}

/** The rows of the log, as any program reads them. */
async function readRows(url: string): Promise<readonly Row[]> {
  type Read = Omit<Row, "position" | "version" | "time"> & {
    readonly [name in "position" | "version" | "time"]: string;
  };
  const rows = await runOn<Read>(
    url,
    `SELECT position, stream, version, type, owner, actor, time, payload FROM iam.events
       ORDER BY position`,
  );
  return rows.map((row) => ({
    ...row,
    ...{ position: Number(row.position), version: Number(row.version), time: Number(row.time) },
  }));
}
