import { randomBytes } from "node:crypto";
import type { Http } from "../../src/actions/http.ts";
import type { SandboxLimits } from "../../src/actions/limits.ts";
import type { Outcome, Run } from "../../src/actions/run.ts";
import { createSandbox, type Sandbox } from "../../src/actions/sandbox.ts";

/** A sandbox, and runs of an action named greet in it that say only what matters. */
export interface Greeting {
  greet(script: string, more?: Partial<Run>): Promise<Outcome>;
  figures: Sandbox["figures"];
  close(): Promise<void>;
}

/** Milliseconds that a run has which ends by itself, however busy the machine is. */
export const ample = 20_000;

/** Makes one; two threads are enough for whatever is no test of threads. */
export function givenSandbox(
  limits: Partial<SandboxLimits> = {},
  alias?: string,
  http?: Http,
): Greeting {
  const sandbox = createSandbox({
    limits: { threads: 2, waitMs: ample, startMs: ample, ...limits },
    random: randomBytes,
    ...{ alias, http },
  });
  return {
    greet: (script, more) =>
      sandbox.run({
        ...{ name: "greet", script, context: {}, timeoutMs: ample, organization: "one" },
        api: ["setClaim"],
        ...more,
      }),
    figures: sandbox.figures,
    close: () => sandbox.close(),
  };
}

/** A script that sets the claim `told` to a value, in JavaScript. */
export const telling = (value: string) =>
  `function greet(ctx, api) { api.v1.claims.setClaim("told", ${value}); }`;

/** What such a script has told. */
export function toldBy({ effects, problem }: Outcome): unknown {
  if (problem !== undefined) throw new Error(`${problem.errorClass}: ${problem.message}`);
  return effects.find(({ name }) => name === "told")?.value;
}
