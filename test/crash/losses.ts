import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { logIn } from "../../src/log/in-file.ts";
import { createPowerlessDisk, type Image, writeImage } from "../disk/image.ts";
import type { Recorded } from "../disk/journal.ts";
import { createRandom, type Random } from "../gateway/native/random.ts";
import { start } from "../start/command.ts";
import { type Call, compare, type Problem, type Row, readRows } from "./ledger.ts";
import { listeningMark, type Recording } from "./recording.ts";
import { missingMessages, prefixOf, verify } from "./series.ts";

/** What came of the image of a number. */
export interface Loss {
  readonly image: number;
  readonly problems: readonly Problem[];
}

/**
 * Lets the power fail in the recording once for each of the numbers: with the seed they say when,
 * and what the disk then holds. Each of these images is opened as the service opens it.
 */
export async function* losePower(
  recording: Recording,
  { seed, images, directory }: LossOptions,
): AsyncGenerator<Loss> {
  for (const { image, held, known } of powerless(recording, { seed, images })) {
    await rm(directory, { recursive: true, force: true });
    yield { image, problems: await judge(directory, held, recording, known) };
  }
  await rm(directory, { recursive: true, force: true });
}

/** What a disk held when its power failed, and the marks of before. */
export interface Held {
  readonly image: number;
  readonly held: Image;
  readonly known: ReadonlySet<number>;
}

/** Lets the power fail once for each of the numbers, at a moment from one on. */
export function* powerless(
  { root, journal }: Pick<Recording, "root" | "journal">,
  { seed, images, from = 0 }: Pick<LossOptions, "seed" | "images"> & { readonly from?: number },
): Generator<Held> {
  const moments = momentsOf(journal)
    .map((near) => near.filter((moment) => moment >= from))
    .filter((near) => near.length > 0);
  const losses = images.map((image) => {
    const random = createRandom(seed * 1_000_003 + image);
    return { image, random, moment: pickMoment(moments, random) };
  });
  const disk = createPowerlessDisk(root);
  const known = new Set<number>();
  let done = 0;
  for (const { image, random, moment } of losses.sort((a, b) => a.moment - b.moment)) {
    for (; done < moment; done += 1) {
      const record = journal[done]!;
      disk.apply(record);
      if (record.kind === "mark") known.add(record.number);
    }
    yield { image, held: disk.image(random), known };
  }
}

/** Which images are made, and where. */
export interface LossOptions {
  readonly seed: number;
  readonly images: readonly number[];
  /** Where the images lie, one after the other. */
  readonly directory: string;
}

/** Numbers of operations after which the power may fail, by what is near. */
type Moments = readonly (readonly number[])[];

function momentsOf(journal: readonly Recorded[]): Moments {
  const created = journal.find((one) => one.kind === "create" && one.path.endsWith("/iam.db"));
  const log = created?.kind === "create" ? created.inode : undefined;
  const after = (isNear: (record: Recorded) => boolean) =>
    journal.flatMap((record, index) => (isNear(record) ? [index + 1] : []));
  const names = ["create", "mkdir", "link", "rename", "unlink", "sync-directory"];
  const syncs = after(({ kind }) => kind === "sync");
  const all = journal.map((_record, index) => index);
  const started = journal.findIndex(({ kind }) => kind === "mark");
  return [
    all,
    // In the first start.
    all.slice(0, started + 2),
    // An answer has just been seen.
    after(({ kind }) => kind === "mark"),
    [...syncs, ...syncs.map((moment) => moment - 1)],
    after(({ kind }) => names.includes(kind)),
    // In a checkpoint.
    after((record) => record.kind === "write" && record.inode === log),
  ].filter((near) => near.length > 0);
}

function pickMoment(moments: Moments, random: Random): number {
  return random.pick(random.pick(moments));
}

/**
 * What is wrong with an image, in a directory of its own: the log that it holds is a first part of
 * the last one, with all that was known of it by then, and the service goes on with it.
 */
async function judge(
  directory: string,
  image: Image,
  recording: Recording,
  known: ReadonlySet<number>,
): Promise<readonly Problem[]> {
  try {
    // To read it may be to mend it, and that is for the service.
    for (const name of ["read", "used"]) await writeImage(join(directory, name), image);
    const [read, dataDir] = [join(directory, "read/data"), join(directory, "used/data")];
    const rows = image.has("data/iam.db") ? readRows(logIn(read), { readonly: false }) : [];
    const calls = recording.calls.map(
      (call): Call => (known.has(call.number) ? call : { ...call, outcome: { kind: "unknown" } }),
    );
    // A first start that was cut off has parts that belong together and are not all there yet.
    const isStarted = known.has(listeningMark);
    const same = prefixOf(rows, recording.rows);
    const other: Problem = { kind: "phantom", text: `position ${same + 1} is another event` };
    return [
      ...(same < rows.length ? [other] : []),
      ...compare(rows, calls),
      ...(await missingMessages(dataDir, rows, join(recording.root, "data"))),
      ...(isStarted ? await verify(dataDir) : []),
      ...(await goOn(dataDir, rows, isStarted ? recording.token : undefined)),
    ];
  } catch (error) {
    return [{ kind: "damaged", text: error instanceof Error ? error.message : String(error) }];
  }
}

/** Lets the service start on the image and write there. */
async function goOn(
  dataDir: string,
  before: readonly Row[],
  tokenBefore: string | undefined,
): Promise<readonly Problem[]> {
  const service = await start(["--port=0", `--data-dir=${dataDir}`]);
  try {
    const token = await readFile(join(dataDir, "admin.token"), "utf8");
    if (tokenBefore !== undefined && token !== tokenBefore) {
      return [{ kind: "lost", text: "the token that the first start left" }];
    }
    const response = await fetch(`${service.url}/management/v1/projects`, {
      method: "POST",
      headers: { authorization: `Bearer ${token.trim()}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "after the power was back" }),
    });
    const said = await response.text();
    if (!response.ok) return [{ kind: "damaged", text: `it takes no calls: ${said}` }];
  } finally {
    await service.close();
  }
  const same = prefixOf(before, readRows(logIn(dataDir)));
  if (same < before.length) return [{ kind: "changed", text: `position ${same + 1} has changed` }];
  if (!existsSync(join(dataDir, "master.key"))) return [{ kind: "lost", text: "master.key" }];
  return await verify(dataDir);
}
