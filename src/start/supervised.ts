import { type Config, ConfigError } from "../config/config.ts";
import { sentenceOf } from "../config/sentence.ts";
import { createLogs } from "./logger.ts";
import { giveBackMemory } from "./memory.ts";
import { followSignals, holdHangups, takeStrayErrors } from "./process.ts";
import { type Decided, serve } from "./serve.ts";
import type { Asked, Fault, Report } from "./supervisor.ts";

/**
 * Serves as one of several processes, and tells the one that started it when it listens, or what
 * its start was refused with. Rejects with a ConfigError where nobody would hear that.
 */
export async function serveSupervised(config: Config, decided: Decided): Promise<void> {
  if (!process.connected) {
    throw new ConfigError("this command is for processes that the service starts: see --help");
  }
  const report = (what: Report, then: () => void = () => {}) => process.send?.(what, then);
  // Nobody else would tell it to stop: it stops as it would have been told to.
  process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
  const logs = createLogs(config.logLevel, { isShared: true });
  takeStrayErrors(logs);
  try {
    const release = holdHangups();
    const running = await serve(config, logs, decided);
    logs.gather();
    running.fault?.found.then((fault) => report({ fault }));
    // The one that started it ends it where waiting takes too long, or somebody asks twice.
    const hurry = followSignals(running, logs, { endsAtOnce: false });
    process.on("message", (told: Fault | Asked) => {
      if ("fault" in told) running.fault?.take(told.fault);
      else if (told.asked === "hurry") hurry();
      else void running.measure?.().then((metrics) => report({ metrics }));
    });
    release();
    const { url, issuer, welcome, begun } = running;
    report({ url, issuer, welcome, begun });
    giveBackMemory();
  } catch (error) {
    report({ refusal: sentenceOf(error) }, () => process.exit(1));
  }
}
