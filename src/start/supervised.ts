import { sentenceOf } from "./command-line.ts";
import { readConfig } from "./config.ts";
import { createLogs } from "./log.ts";
import { followSignals, takeStrayErrors } from "./process.ts";
import { serve } from "./serve.ts";
import type { Report } from "./supervisor.ts";

// One of the processes that serve together, with the flags that the supervisor gives it.

const report = (what: Report, then: () => void = () => {}) => process.send?.(what, then);
// Without the supervisor nobody would stop it: it stops as it would have been told to.
const stop = () => process.kill(process.pid, "SIGTERM");
process.on("disconnect", stop);

const config = readConfig(process.argv.slice(2), process.env);
const logs = createLogs(config.logLevel, { isShared: true });
takeStrayErrors(logs);
try {
  const running = await serve(config, logs);
  followSignals(running, logs);
  if (process.connected) report({ url: running.url, welcome: running.welcome });
  else stop();
} catch (error) {
  report({ refusal: sentenceOf(error) }, () => process.exit(1));
}
