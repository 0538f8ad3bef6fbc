import { type Config, differingSettings } from "../../config/config.ts";
import { sayDoubts, sayUnknown } from "../../config/doubts.ts";
import { assertPortsFree } from "../../start/free-ports.ts";
import { handedSocket } from "../../start/handed-socket.ts";
import { createLogs, type Logs } from "../../start/logger.ts";
import { giveBackMemory } from "../../start/memory.ts";
import { withMetricsPort } from "../../start/metrics-port.ts";
import { followSignals, holdHangups, takeStrayErrors } from "../../start/process.ts";
import type { Decided, Running } from "../../start/serve.ts";
import { auditsFlag, handedDown, socketFlag, supervise } from "../../start/supervisor.ts";
import { readVersion } from "../../start/version.ts";
import type { Arguments } from "../arguments.ts";
import type { Command, Given } from "./command.ts";

/** What an operator decides for one start, and no later one. */
const flags = { "accept-clock": "", "accept-history-from": "BACKUP" } as const;

/** Runs the service, in this process or in several. */
export const serveCommand: Command = {
  meaning:
    "runs the service until SIGTERM or SIGINT. It is the default. --accept-clock accepts a " +
    "clock that is behind the log: see docs/operate.md. A log that does not continue the " +
    "last known head is refused, unless --accept-history-from names a backup that it " +
    "continues.",
  flags,
  async run(config, { settings, flags, say, environment }) {
    const logs = createLogs(config.logLevel, { isShared: config.processes > 1 });
    takeStrayErrors(logs);
    sayUnknown(environment, logs);
    const release = holdHangups();
    const socket = handedSocket(environment, process.pid);
    await assertPortsFree(config, socket);
    const serving = await serveOrSupervise(config, { settings, flags, socket }, logs);
    logs.gather();
    const running = await withMetricsPort(serving, config);
    followSignals(running, logs);
    release();
    const { version } = await readVersion();
    const differing = differingSettings(settings, environment);
    logs.log.info({ version, ...running.begun, settings: differing }, "started");
    sayDoubts(config, running.url, logs);
    if (running.welcome !== undefined) say(running.welcome);
    const { url, issuer, metricsUrl } = running;
    const metrics = metricsUrl === undefined ? "" : `\nmetrics on ${metricsUrl}`;
    say(`listening on ${url}\nOpenID Connect issuer: ${issuer}${metrics}`);
    giveBackMemory();
    return undefined;
  },
};

/** What the processes do that a service of several starts. */
export const supervisedService: Command = {
  flags: { ...flags, [auditsFlag]: "", [socketFlag]: "" },
  async run(config, { flags }) {
    const { serveSupervised } = await import("../../start/supervised.ts");
    const audits = flags[auditsFlag] !== undefined;
    const socket = flags[socketFlag] === undefined ? undefined : handedDown;
    await serveSupervised(config, { ...decidedBy(flags), audits, socket });
    return undefined;
  },
};

/** What its flags decide for one start. */
function decidedBy(flags: Arguments["flags"]): Decided {
  const acceptsClock = flags["accept-clock"] !== undefined;
  return { acceptsClock, historyFrom: flags["accept-history-from"] };
}

/** The same flags as they are given. */
function decisionsIn(given: Arguments["flags"]): readonly string[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    const text = given[name];
    if (text === undefined) return [];
    return value === "" ? [`--${name}`] : [`--${name}=${text}`];
  });
}

async function serveOrSupervise(
  config: Config,
  {
    settings,
    flags,
    socket,
  }: Pick<Given, "settings" | "flags"> & { readonly socket: number | undefined },
  logs: Logs,
): Promise<Running> {
  if (config.processes > 1) {
    return await supervise(config, settings, logs.log, { decisions: decisionsIn(flags), socket });
  }
  // Who only starts others needs nothing of it.
  const { serve } = await import("../../start/serve.ts");
  return await serve(config, logs, { ...decidedBy(flags), socket });
}
