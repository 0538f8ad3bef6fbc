import type { Config } from "./config.ts";
import { withNearest } from "./nearest.ts";
import { settings } from "./settings.ts";

/** Where it is told. */
interface Logs {
  readonly log: { warn(members: object, text: string): void };
}

type Environment = { readonly [name: string]: string | undefined };

/** Warns of variables that are no settings: before a start, since one may be why it fails. */
export function sayUnknown(environment: Environment, { log }: Logs): void {
  const names = unknownSettings(environment);
  if (names.length > 0) log.warn({ names }, "unknown settings: see --help");
}

/** Warns of what is no reason to refuse a start at this URL, and is hardly meant so. */
export function sayDoubts(
  { publicUrl, tlsCert, trustedProxies }: Config,
  url: string,
  { log }: Logs,
): void {
  const isLoopback = ["127.0.0.1", "[::1]"].includes(new URL(url).hostname);
  const isBehindProxy = isLoopback && publicUrl.startsWith("https:") && tlsCert === "";
  if (isBehindProxy && trustedProxies.length === 0) {
    const what = "a proxy seems to be in front, and its callers share one limit: name it in";
    log.warn({ publicUrl }, `${what} ${settings.trustedProxies.name}`);
  }
  if (publicUrl === "" && ["0.0.0.0", "[::]"].includes(new URL(url).hostname)) {
    const what = "applications cannot reach the issuer: set";
    log.warn({ issuer: url }, `${what} ${settings.publicUrl.name} to the URL that they use`);
  }
}

/** What the service or one of its commands reads. */
const known = [...Object.values(settings).map(({ name }) => name), "IAM_COPY_TO"];

/** What examples read, which the README has people export in the terminal that serves, too. */
const ofExamples = ["IAM_URL", "IAM_TOKEN"];

/** Names that are told at most: a cluster may make many. */
export const unknownNamed = 20;

/**
 * The variables that begin as settings do, and are none: misspelt, or made by others, as Kubernetes
 * does for a service called iam. Each comes with the setting that it is most like, where there is
 * one. What they are set to is not told.
 */
export function unknownSettings(environment: Environment): readonly string[] {
  const unknown = Object.keys(environment)
    .filter((name) => name.startsWith("IAM_") && ![...known, ...ofExamples].includes(name))
    .toSorted();
  const told = unknown.slice(0, unknownNamed).map((name) => withNearest(name, known));
  const left = unknown.length - told.length;
  return left === 0 ? told : [...told, `and ${left} others`];
}
