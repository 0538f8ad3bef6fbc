import { answerParent } from "../child.ts";
import type { Pace } from "../sizes.ts";
import { inFlight, type Parties, people } from "./parties.ts";
import { openRelying, type Relying, type Tokens } from "./relying.ts";

/** Logs people in from a process of its own, and measures how long that takes. */

const scope = "openid profile email";

/** What one person does in a turn; answers the tokens that the next turn goes on with, if any. */
const flows = {
  /** From the application to the page, the password, and back with a code. */
  "password login": async ({ relying, name }: Turn) => {
    await relying.logIn(name, scope);
  },
  /** The same, then the tokens for the code and what they say of the person. */
  "code flow": async ({ relying, name }: Turn) => {
    const code = await relying.logIn(name, scope);
    const tokens = await relying.fetchTokens({ grant_type: "authorization_code", code });
    await relying.userinfo(tokens.access_token);
  },
  /** From the application to the provider elsewhere, and back with a code. */
  "login by a provider": async ({ relying, name }: Turn) => {
    await relying.logInElsewhere(name, scope);
  },
  refresh: async ({ relying, tokens }: Turn) => {
    const { refresh_token = "" } = (await tokens()) ?? {};
    return await relying.fetchTokens({ grant_type: "refresh_token", refresh_token });
  },
} as const;

export type Flow = keyof typeof flows;

interface Turn {
  readonly relying: Relying;
  readonly name: string;
  /** Those of the turn before; at first those of a login. */
  readonly tokens: () => Promise<Tokens>;
}

/** What is to be done, and where. */
interface Opening {
  readonly parties: Parties;
  readonly flow: Flow;
  /** People who log in at once. */
  readonly lanes?: number;
}

let person = 0;
let lanes: readonly Lane[] = [];

/** Lets all lanes begin, which log in before where they go on from a login. */
async function open({ parties, flow, lanes: length = inFlight }: Opening): Promise<void> {
  lanes = Array.from({ length }, () => openLane(parties, flow));
  await Promise.all(lanes.map(({ begin }) => begin()));
}

/** Keeps them going for the time; rejects with the first that fails. */
async function run({ warmUpMs, measureMs }: Pace) {
  const warmed = await drive(warmUpMs);
  const before = process.cpuUsage();
  const started = performance.now();
  const latencies = await drive(measureMs);
  const elapsedMs = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return {
    calls: sorted.length,
    callsInAll: warmed.length + sorted.length,
    rate: (sorted.length / elapsedMs) * 1_000,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    loadCpu: (user + system) / 1_000 / elapsedMs,
  };
}

interface Lane {
  begin(): Promise<void>;
  turn(): Promise<void>;
  close(): Promise<void>;
}

function openLane(parties: Parties, flow: Flow): Lane {
  const relying = openRelying(parties, parties.app);
  let last: Tokens | undefined;
  const logIn = async () => await tokensFor(relying, nextName());
  const tokens = async () => last ?? (await logIn());
  return {
    begin: async () => {
      if (flow === "refresh") last = await logIn();
    },
    turn: async () => {
      last = (await flows[flow]({ relying, name: nextName(), tokens })) ?? undefined;
    },
    close: () => relying.close(),
  };
}

function nextName(): string {
  person += 1;
  return people[person % people.length] ?? "";
}

async function tokensFor(relying: Relying, name: string): Promise<Tokens> {
  const code = await relying.logIn(name, `${scope} offline_access`);
  return await relying.fetchTokens({ grant_type: "authorization_code", code });
}

/**
 * Milliseconds of each turn; every lane ends the one that it has begun. Where one fails none begins
 * another, and it rejects when all have ended.
 */
async function drive(forMs: number): Promise<number[]> {
  const started = performance.now();
  const latencies: number[] = [];
  let hasFailed = false;
  const ends = await Promise.allSettled(
    lanes.map(async ({ turn }) => {
      while (!hasFailed && performance.now() - started < forMs) {
        const began = performance.now();
        await turn().catch((error) => {
          hasFailed = true;
          throw error;
        });
        latencies.push(performance.now() - began);
      }
    }),
  );
  const failed = ends.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
  return latencies;
}

const answers = {
  ...{ open, run },
  close: async () => {
    const closing = lanes;
    lanes = [];
    await Promise.all(closing.map(({ close }) => close()));
  },
  /** The tokens of somebody who has just logged in to an application. */
  tokens: async (parties: Parties & { readonly kind: "app" | "jwtApp" }) => {
    const app = parties[parties.kind];
    if (app === undefined) throw new Error("there is no such application");
    const relying = openRelying(parties, app);
    const tokens = await tokensFor(relying, nextName());
    await relying.close();
    return tokens;
  },
};

/** What can be asked of the process in which people log in. */
export type FlowAnswers = typeof answers;

answerParent(answers, () => {});
