import type { Config } from "./config.ts";
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
    const what = "all requests count as local ones: name the proxy in";
    log.warn({ publicUrl }, `${what} ${settings.trustedProxies.name}`);
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
  const told = unknown.slice(0, unknownNamed).map((name) => {
    const nearest = nearestTo(name);
    return nearest === undefined ? name : `${name} (did you mean ${nearest}?)`;
  });
  const left = unknown.length - told.length;
  return left === 0 ? told : [...told, `and ${left} others`];
}

/** The setting that a name is most like; undefined where more than a third of it is another. */
function nearestTo(name: string): string | undefined {
  const own = name.slice("IAM_".length);
  const [nearest] = known
    .map((one) => ({ one, edits: editsBetween(own, one.slice("IAM_".length)) }))
    .toSorted((a, b) => a.edits - b.edits);
  return nearest !== undefined && nearest.edits * 3 <= own.length ? nearest.one : undefined;
}

/**
 * How many characters are put in, left out or replaced to make one text of the other. Two that are
 * neighbours and swapped count as one.
 */
function editsBetween(from: string, to: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwapped ? (before[j - 2] ?? replaced) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[to.length] ?? 0;
}
