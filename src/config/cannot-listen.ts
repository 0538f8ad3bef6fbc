import { type Config, ConfigError, labelOf } from "./config.ts";
import { settings } from "./settings.ts";

type Where = Pick<Config, "host" | "port">;

/** What a start is refused with that cannot take the socket that it was handed. */
export function cannotTake(cause: unknown): ConfigError {
  const { code = "" } = cause as NodeJS.ErrnoException;
  const what = "must be a TCP socket that listens";
  return new ConfigError(`The socket that LISTEN_FDS hands over ${what}: ${code}`, { cause });
}

/** What wants to listen, and the settings that say where. */
interface Listener {
  readonly what: string;
  readonly hostOf: { readonly name: string };
  readonly portOf: { readonly name: string };
}

const service: Listener = { what: "The service", hostOf: settings.host, portOf: settings.port };

/** The same of the port of metrics. */
export const metricsListener: Listener = {
  what: "The port of metrics",
  hostOf: settings.metricsAddress,
  portOf: settings.metricsPort,
};

/** What a start is refused with that cannot listen, for the reason that the system gave. */
export function cannotListen(
  { host, port }: Where,
  cause: unknown,
  { what, hostOf, portOf }: Listener = service,
): ConfigError {
  const { code = "" } = cause as NodeJS.ErrnoException;
  const reasons: { readonly [code: string]: string } = {
    EADDRINUSE: `another program listens there. End it, or change ${labelOf(portOf)}.`,
    EACCES: `the user of this process may not use this port. Change ${labelOf(portOf)}.`,
    EADDRNOTAVAIL: `this machine does not have the address. Change ${labelOf(hostOf)}.`,
    ENOTFOUND: `no host has this name. Change ${labelOf(hostOf)}.`,
    ENOTSUP: `processes cannot share a port here. Set ${labelOf(settings.processes)} to 1.`,
  };
  const where = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  return new ConfigError(`${what} cannot listen on ${where}: ${reasons[code] ?? code}`, { cause });
}
