import { availableParallelism } from "node:os";
import { type AllowList, parseAllowList } from "../fetch/allow.ts";
import { type Network, parseNetworks } from "../port/peer.ts";
import { type Key, parseKeyring } from "../secrets/keys.ts";
import { isOrigin } from "./address.ts";

/** A setting of the service, by whichever name it has in the configuration. */
export interface Setting<Value> {
  /** The environment variable; the flag is the same in lower case: IAM_DATA_DIR, --data-dir. */
  readonly name: `IAM_${string}`;
  /** As it would be written in the environment. */
  readonly default: string;
  readonly meaning: string;
  /** Whether the value is not to be repeated in messages. */
  readonly isSecret?: boolean;
  /** The value, or a sentence about what it must be. */
  parse(text: string): Value | Invalid;
}

/** Says what the value of a setting must be, in words that follow "must be". */
export class Invalid {
  readonly mustBe: string;
  /** What is wrong with which part of the value, as sentences; then the value is not repeated. */
  readonly problem: string | undefined;

  constructor(mustBe: string, problem?: string) {
    this.mustBe = mustBe;
    this.problem = problem;
  }
}

/** Makes the function that reads a whole number from one to another. */
export function integer(min: number, max: number) {
  return (text: string): number | Invalid => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return number >= min && number <= max
      ? number
      : new Invalid(`a whole number from ${min} to ${max}`);
  };
}

/** Reads how often something may happen in a second; without a bound where the text is empty. */
export function rate(text: string): number | Invalid {
  if (text === "") return Number.POSITIVE_INFINITY;
  const parsed = integer(1, 1_000_000)(text);
  return typeof parsed === "number" ? parsed : new Invalid(`${parsed.mustBe}, or empty`);
}

/** Processes that one start begins at most. */
const processesMax = 64;

/** Reads how many processes there are to be; `auto` is one for each core. */
export function processCount(text: string): number | Invalid {
  if (text === "auto") return Math.min(availableParallelism(), processesMax);
  const parsed = integer(1, processesMax)(text);
  return typeof parsed === "number" ? parsed : new Invalid(`${parsed.mustBe}, or auto`);
}

/** Reads `true` or `false`. */
export function flag(text: string): boolean | Invalid {
  return /^(true|false)$/.test(text) ? text === "true" : new Invalid("true or false");
}

/** Reads a list of origins. */
export function origins(text: string): readonly string[] | Invalid {
  const list = text.split(",").flatMap((entry) => entry.trim() || []);
  const mustBe = "origins like https://admin.example.com, separated by commas";
  return list.every(isOrigin) ? list : new Invalid(mustBe);
}

/** Reads networks: see `parseNetworks`. */
export function networks(text: string): readonly Network[] | Invalid {
  const parsed = parseNetworks(text);
  return "networks" in parsed ? parsed.networks : new Invalid("networks", parsed.problem);
}

/** Reads private networks that may be called: see `parseAllowList`. */
export function allowList(text: string): AllowList | Invalid {
  const parsed = parseAllowList(text);
  return "allow" in parsed ? parsed.allow : new Invalid("networks", parsed.problem);
}

/** Hosts that one setting may name. */
export const hostsMax = 100;

/** Reads hosts as URLs of https have them, none twice; none where the text is empty. */
export function hosts(text: string): readonly string[] | Invalid {
  const named = text.split(",").flatMap((host) => host.trim() || []);
  const isHost = (host: string) =>
    /^[a-z\d.:[\]-]+$/.test(host) && URL.parse(`https://${host}`)?.host === host;
  return named.every(isHost) && named.length <= hostsMax
    ? [...new Set(named)]
    : new Invalid(`at most ${hostsMax} host names without https://, like api.example.com:8443`);
}

/** Reads keys, the newest first; none where the text is empty. */
export function masterKeys(text: string): readonly [Key, ...Key[]] | undefined | Invalid {
  if (text === "") return undefined;
  try {
    return parseKeyring(text);
  } catch (error) {
    return new Invalid("keys", error instanceof Error ? error.message : String(error));
  }
}
