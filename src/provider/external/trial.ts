import type { Usable } from "../../execute/providers.ts";
import { createClientSecret } from "../../secrets/tokens.ts";
import type { ProviderParts } from "../base/parts.ts";
import { putAsk } from "./asks.ts";
import { failedBy } from "./http.ts";
import { askOf, type Protocols, protocolOf } from "./offers.ts";
import type { Trial, TrialStep } from "./protocol.ts";

/** What came of a trial, and where a person may walk a login; empty where a step failed. */
export interface TrialResult {
  readonly steps: readonly TrialStep[];
  readonly loginUrl: string;
}

/** Tries a provider without a person. Nothing is recorded. */
export type TryProvider = (provider: Usable) => Promise<TrialResult>;

type Parts = Pick<ProviderParts, "keyring" | "now" | "publicUrl" | "random" | "ring" | "unit">;

/** The ids of trials, in place of those of logins: those have no such sign. */
const trialPrefix = "trial:";

/** Whether a request to a provider is a trial, and no login. */
export function isTrial(uid: string): boolean {
  return uid.startsWith(trialPrefix);
}

/** Makes what tries providers. */
export function createTrials(parts: Parts, protocols: Protocols): TryProvider {
  return async (provider) => {
    const uid = trialPrefix + createClientSecret(parts.random);
    const secrets = await putAsk(parts, { uid, idpId: provider.id });
    const ask = askOf(parts, provider, secrets);
    const protocol = protocolOf(protocols, provider.state);
    let loginUrl = "";
    const address: Trial = {
      name: "address",
      advice: "Look at the addresses of the provider.",
      async run() {
        loginUrl = (await protocol.address(ask)).href;
        return `The provider has to lead browsers back to ${ask.callback}.`;
      },
    };
    const steps = await runTrials([...protocol.trials(ask), address]);
    return { steps, loginUrl: steps.every(({ ok }) => ok) ? loginUrl : "" };
  };
}

/** Runs trials up to the first that fails. */
async function runTrials(trials: readonly Trial[]): Promise<readonly TrialStep[]> {
  const steps: TrialStep[] = [];
  for (const { name, run, advice } of trials) {
    const step = await run().then(
      (found) => ({ name, ok: true, found, advice: "" }),
      (error: unknown) => {
        const failed = failedBy(error);
        const isAway = failed.reason === "UNREACHABLE";
        return { name, ok: false, found: failed.message, advice: isAway ? reach : advice };
      },
    );
    steps.push(step);
    if (!step.ok) break;
  }
  return steps;
}

const reach =
  "Check that the host is right and answers. Addresses inside a network are asked only where the " +
  "operator allows it (IAM_FETCH_ALLOW), and by http with IAM_FETCH_HTTP.";
