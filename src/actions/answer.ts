import { type EffectKind, effectRules } from "./effects.ts";
import type { SandboxLimits } from "./limits.ts";
import type { Told } from "./machine.ts";
import { type Effect, endedBy, type Outcome, type RunProblem } from "./run.ts";

/**
 * Reads what a machine told of a run. A script may have made any of it, so everything is looked at,
 * and one effect that is none voids all.
 */
export function readTold(
  { effects, log, durationMs, memoryBytes, problem }: Told,
  kinds: readonly EffectKind[],
  limits: SandboxLimits,
): Outcome {
  const taken = problem === undefined ? readEffects(effects, kinds, limits) : problem;
  const cut = (text: string) => text.slice(0, limits.messageCharacters).toWellFormed();
  const common = { log: readLog(log, limits), durationMs, memoryBytes };
  return "errorClass" in taken
    ? { ...common, effects: [], problem: { ...taken, message: cut(taken.message) } }
    : { ...common, effects: taken };
}

function readLog(text: string, { logLines }: SandboxLimits): readonly string[] {
  return (listIn(text) ?? [])
    .filter((line) => typeof line === "string")
    .slice(0, logLines)
    .map((line) => line.toWellFormed());
}

function readEffects(
  text: string,
  kinds: readonly EffectKind[],
  limits: SandboxLimits,
): readonly Effect[] | RunProblem {
  const refused = (message: string) => endedBy("InvalidEffects", message);
  if (Buffer.byteLength(text) > limits.effectsBytes) {
    return refused(`Its effects have more than ${limits.effectsBytes} bytes.`);
  }
  const told = listIn(text);
  if (told === undefined) return refused("Its effects are no list.");
  if (told.length > limits.effects) return refused(`It has more than ${limits.effects} effects.`);
  const read = told.map((effect) => readEffect(effect, kinds, limits));
  const taken = read.filter((effect) => effect !== undefined);
  return taken.length === read.length
    ? taken
    : refused(`Effect ${read.indexOf(undefined) + 1} has a name or a value that is not taken.`);
}

function readEffect(
  told: unknown,
  kinds: readonly EffectKind[],
  { effectNameCharacters, effectDepth }: SandboxLimits,
): Effect | undefined {
  const { kind, name, value } = Object(told) as { readonly [member: string]: unknown };
  const known = kinds.find((one) => one === kind);
  if (known === undefined || typeof name !== "string" || value === undefined) return undefined;
  const isNamed = "isNamed" in effectRules[known];
  const length = [...name].length;
  if (isNamed ? length < 1 || length > effectNameCharacters : length > 0) return undefined;
  // A member of this name would change what the object is.
  if (name === "__proto__" || !name.isWellFormed()) return undefined;
  return isPlain(value, effectDepth) ? { kind: known, name, value } : undefined;
}

/** Whether JSON is not deeper than so, and all of its texts can be stored. */
function isPlain(value: unknown, depthMax: number): boolean {
  const left = [{ value, depth: 0 }];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    const { value: one, depth } = at;
    if (typeof one === "string" && !one.isWellFormed()) return false;
    if (typeof one !== "object" || one === null) continue;
    if (depth === depthMax) return false;
    for (const [key, member] of Object.entries(one)) {
      if (key === "__proto__" || !key.isWellFormed()) return false;
      left.push({ value: member, depth: depth + 1 });
    }
  }
  return true;
}

/** The entries of a list in JSON; undefined where it is no such text. */
function listIn(text: string): readonly unknown[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}
