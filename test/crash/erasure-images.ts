import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeJournal } from "../disk/disk.ts";
import { writeImage } from "../disk/image.ts";
import { openMarks, readJournal } from "../disk/journal.ts";
import { startProcess } from "../harness/process.ts";
import { start } from "../start/command.ts";
import { openCalls } from "./calls.ts";
import { givenPerson, judge, type Person } from "./erasures.ts";
import type { Problem } from "./ledger.ts";
import { type Loss, type LossOptions, powerless } from "./losses.ts";
import { verify } from "./series.ts";

/** Where it is recorded how people are erased, and on which images that is looked at. */
export interface ErasureImagesOptions extends LossOptions {
  /** Where the recording lies. */
  readonly recordedIn: string;
  readonly compiler: string;
  readonly project?: string;
}

/** People who are erased one after the other. */
const peopleCount = 3;
/** The mark of a person who is there; the next number is that of the answer that it is erased. */
const markOf = (serial: number) => 2 * serial + 1;

/**
 * Erases people on a disk that is recorded, and lets the power fail in it once for each of the
 * numbers. Each image has to have each person wholly, or wholly erased.
 */
export async function* loseErasures({
  recordedIn,
  compiler,
  project,
  ...options
}: ErasureImagesOptions): AsyncGenerator<Loss> {
  const [file, root] = [join(recordedIn, "journal"), join(recordedIn, "disk")];
  await mkdir(root, { recursive: true });
  const env = await makeJournal(compiler, recordedIn, { journal: file, root });
  const marks = openMarks(file);
  const dataDir = join(root, "data");
  const args = ["serve", "--port=0", `--data-dir=${dataDir}`, "--log-level=warn"];
  const service = startProcess(args, { env, ...(project ? { project } : {}) });
  const call = await openCalls(service, dataDir);
  const people: Person[] = [];
  for (let serial = 0; serial < peopleCount; serial += 1) {
    people.push(await givenPerson(call, serial));
  }
  for (const [serial, { id }] of people.entries()) {
    marks.add(markOf(serial));
    await call("POST", `/users/${id}/_erase`, {});
    marks.add(markOf(serial) + 1);
  }
  service.kill("SIGTERM");
  await service.ended;
  marks.close();
  const journal = readJournal(await readFile(file));
  const from = journal.findIndex((one) => one.kind === "mark");
  for (const { image, held, known } of powerless({ root, journal }, { ...options, from })) {
    const { directory } = options;
    await rm(directory, { recursive: true, force: true });
    await writeImage(directory, held);
    const problems = await look(join(directory, "data"), people, known).catch(
      ({ message }: Error): readonly Problem[] => [{ kind: "damaged", text: message }],
    );
    yield { image, problems };
  }
  await rm(options.directory, { recursive: true, force: true });
}

/** What is wrong with the people on an image, once the service serves there. */
async function look(
  dataDir: string,
  people: readonly Person[],
  known: ReadonlySet<number>,
): Promise<readonly Problem[]> {
  const service = await start(["--port=0", `--data-dir=${dataDir}`]);
  const problems: Problem[] = [];
  try {
    const call = await openCalls({ listening: service.url }, dataDir);
    for (const [serial, person] of people.entries()) {
      const isAnswered = known.has(markOf(serial) + 1);
      problems.push(...(await judge(call, { dataDir, person, isAnswered })));
    }
  } finally {
    await service.close();
  }
  return [...problems, ...(await verify(dataDir))];
}
