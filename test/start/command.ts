import { Agent, getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { readConfig } from "../../src/config/config.ts";
import { sentenceOf } from "../../src/config/sentence.ts";
import { runCommand } from "../../src/operate/command-line.ts";
import { logsTo } from "../../src/start/logger.ts";
import { type Decided, type Running, serve } from "../../src/start/serve.ts";

type Environment = { readonly [name: string]: string };

/** How a command ended, and what it wrote. */
export interface Ended {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line to its end as src/main.ts does, but in this process: one that serves not. */
export async function run(args: readonly string[], environment: Environment = {}): Promise<Ended> {
  const [lines, told]: [string[], string[]] = [[], []];
  const said = () => lines.map((line) => `${line}\n`).join("");
  try {
    const say = (line: string) => void lines.push(line);
    const progress = (line: string) => void told.push(`${line}\n`);
    const code = await runCommand(args, { environment, say, progress });
    return { code, stdout: said(), stderr: told.join("") };
  } catch (error) {
    return { code: 1, stdout: said(), stderr: `${sentenceOf(error)}\n` };
  }
}

/** Starts the service in this process, with a log that nobody reads. */
export async function start(
  flags: readonly string[],
  environment: Environment = {},
  decided: Decided = {},
): Promise<Running> {
  const logs = logsTo({ write: () => {} }, "silent");
  const running = await serve(readConfig(flags, environment), logs, decided);
  return { ...running, close: () => leave().then(running.close) };
}

/** Ends the connections that `fetch` keeps: a service that stops lets them linger. */
export async function leave(): Promise<void> {
  const kept = getGlobalDispatcher();
  setGlobalDispatcher(new Agent());
  await kept.close();
}

/** The sentence that a start is refused with. */
export async function refusalOf(
  flags: readonly string[],
  environment: Environment = {},
  decided: Decided = {},
): Promise<string> {
  const started = await start(flags, environment, decided).catch(sentenceOf);
  if (typeof started === "string") return started;
  await started.close();
  throw new Error("it starts");
}
