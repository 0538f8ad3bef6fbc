import { appendFileSync, globSync, readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "../..");

/** What a file of tests took and ran, as a line of JSON that `test/reach.ts` reads. */
export interface Reach {
  /** Its path in the project. */
  readonly file: string;
  /** Milliseconds of processors, those of its child processes included. */
  readonly cpuMs: number;
  readonly functions: readonly ReachedFunction[];
}

/** A function of `src/` that ran, with the ranges in it that did not. */
export interface ReachedFunction {
  /** Where it is: the module, its first character and the one behind its last. */
  readonly name: string;
  /** First characters, and those behind the last. */
  readonly missed: readonly (readonly [start: number, end: number])[];
}

/** Tells what files of tests reach that run in this process one after another. */
export class Reacher {
  readonly #session: Session;
  #cpuMs = cpuMs();

  private constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Begins to watch, with all modules loaded: what they do then is no merit of the file that
   * happens to come first. Threads' own modules throw where there is no thread. Programs are left
   * out, since they run when they are loaded.
   */
  static async start(): Promise<Reacher> {
    const exclude = ["src/main.ts", "src/start/bundle.ts"];
    const paths = globSync("src/**/*.ts", { cwd: root, exclude });
    await Promise.allSettled(paths.map((path) => import(pathToFileURL(join(root, path)).href)));
    const session = new Session();
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    return new Reacher(session);
  }

  /** Forgets what ran until now. */
  async begin(): Promise<void> {
    await this.#take();
    this.#cpuMs = cpuMs();
  }

  /** Appends to that log what ran since. */
  async end(path: string, log: string): Promise<void> {
    const took = Math.round(cpuMs() - this.#cpuMs);
    const reach: Reach = { file: relative(root, path), cpuMs: took, functions: await this.#take() };
    appendFileSync(log, `${JSON.stringify(reach)}\n`);
  }

  async #take(): Promise<readonly ReachedFunction[]> {
    const { result } = await this.#session.post("Profiler.takePreciseCoverage");
    return result.flatMap(({ url, functions }) => {
      const module = url.startsWith("file:") ? relative(root, fileURLToPath(url)) : "";
      if (!module.startsWith("src/")) return [];
      return functions.flatMap(({ ranges: [whole, ...inner] }) =>
        whole === undefined || whole.count === 0
          ? []
          : [
              {
                name: `${module}:${whole.startOffset}-${whole.endOffset}`,
                missed: inner
                  .filter(({ count }) => count === 0)
                  .map(({ startOffset, endOffset }) => [startOffset, endOffset] as const),
              },
            ],
      );
    });
  }
}

/** Milliseconds that this process and its children, which have ended, have taken. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + childrenMs();
}

/** On other systems than Linux those of children are not known. */
function childrenMs(): number {
  if (process.platform !== "linux") return 0;
  const fields = readFileSync("/proc/self/stat", "latin1").split(") ").at(-1)!.split(" ");
  // Ticks of 10 ms: `cutime` and `cstime` of proc(5).
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
