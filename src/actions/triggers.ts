import type { EffectKind } from "./effects.ts";

const person: readonly EffectKind[] = [
  ...(["setFirstName", "setLastName", "setNickName", "setDisplayName"] as const),
  ...(["setPreferredLanguage", "setEmail", "setEmailVerified"] as const),
  ...(["setPhone", "setPhoneVerified", "appendMetadata"] as const),
];
const beforeCreation: readonly EffectKind[] = [...person, "setGender", "setUsername"];
const claims: readonly EffectKind[] = ["setClaim", "appendLogIntoClaims", "setMetadata"];

/** The effects that exist at each trigger of each flow, by their numbers. */
const effects: {
  readonly [flow: number]: { readonly [trigger: number]: readonly EffectKind[] };
} = {
  1: { 1: [...person, "setPreferredUsername"], 2: beforeCreation, 3: ["appendUserGrant"] },
  2: { 4: claims, 5: claims },
  3: { 1: ["appendMetadata"], 2: beforeCreation, 3: ["appendUserGrant"] },
};

/** The effects that exist at a trigger. */
export function effectsAt({
  flow,
  trigger,
}: {
  readonly flow: number;
  readonly trigger: number;
}): readonly EffectKind[] {
  return effects[flow]?.[trigger] ?? [];
}
