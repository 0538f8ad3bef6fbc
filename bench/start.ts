import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { plant } from "../test/harness/plant.ts";
import { type Spread, spreadOf } from "./results.ts";
import type { Size } from "./sizes.ts";

const main = resolve(import.meta.dirname, "../src/main.js");
/** What only a service loads; `--help` does without it. */
const service = pathToFileURL(resolve(import.meta.dirname, "../src/start/serve.ts")).href;
/** Where the service leaves what it compiled. */
const NODE_COMPILE_CACHE = resolve(import.meta.dirname, "../node_modules/.cache/node");

/**
 * Milliseconds until Node runs nothing, until it has loaded what the service loads and said how it
 * is used, and until the service listens: each several times, in turn.
 */
export async function measureStarts(
  directory: string,
  { starts }: Pick<Size, "starts">,
): Promise<{ readonly [what: string]: Spread }> {
  const installed = await bundled(join(directory, "installed"));
  const serve = (name: string, { env = {}, program = main } = {}) =>
    startOnce(join(directory, name), env, program);
  const measured: { readonly [what: string]: (time: number) => Promise<number> } = {
    "bare Node": () => runOnce(["--eval", "0"]),
    "Node, loading the same modules": () =>
      runOnce(["--import", service, main, "--help"], { NODE_COMPILE_CACHE }),
    [emptyStart]: (time) => serve(`empty-${time}`, { program: installed }),
    "an empty store, from the sources": (time) => serve(`sources-${time}`),
    "the same, nothing compiled before": (time) =>
      serve(`fresh-${time}`, { env: { NODE_DISABLE_COMPILE_CACHE: "1" } }),
    "the first store again": (time) => serve(`empty-${time}`, { program: installed }),
  };
  // The first process that ends in order leaves what it compiled to those after it.
  await serve("first");
  await serve("first-installed", { program: installed });
  const times = Object.keys(measured).map((what) => [what, [] as number[]] as const);
  for (let time = 0; time < starts; time += 1) {
    for (const [what, found] of times) found.push((await measured[what]?.(time)) ?? Number.NaN);
  }
  return Object.fromEntries(times.map(([what, found]) => [what, spreadOf(found)]));
}

/** The row of the starts that a promise is about: by a bundle, as an installation has it. */
export const emptyStart = "an empty store";

/** Makes a copy of the program with its bundle; its packages are those of this one. */
async function bundled(to: string): Promise<string> {
  await plant(to, { name: "none", edits: [] });
  await runOnce([join(to, "src/start/bundle.ts")]);
  return join(to, "src/main.js");
}

/** Milliseconds from spawning a process to its end. */
export async function runOnce(args: readonly string[], env = {}): Promise<number> {
  const started = performance.now();
  const [code] = await once(spawn(process.execPath, args, { env, stdio: "ignore" }), "exit");
  if (code !== 0) throw new Error(`node ${args.join(" ")} ended with ${code}`);
  return performance.now() - started;
}

/** Starts the service as users do and stops it again; milliseconds until it listened. */
export async function startOnce(dataDir: string, env = {}, program = main): Promise<number> {
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [program, "serve", "--port", "0", "--data-dir", dataDir],
    // Settings of one who runs the bench are not the service's defaults.
    { env, stdio: ["ignore", "pipe", "pipe"] },
  );
  let logged = "";
  child.stderr.on("data", (chunk) => {
    logged += chunk;
  });
  let said = "";
  for await (const chunk of child.stdout) {
    said += chunk;
    if (said.includes("listening on")) break;
  }
  const elapsedMs = performance.now() - started;
  if (!said.includes("listening on")) throw new Error(`the service did not start: ${logged}`);
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
  return elapsedMs;
}

/** Milliseconds that a command of the service takes, run as users do. */
export function runMain(...args: readonly string[]): Promise<number> {
  return runOnce([main, ...args]);
}
