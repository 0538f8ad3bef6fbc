import type { EffectKind } from "./effects.ts";

const profile: readonly EffectKind[] = [
  ...(["setFirstName", "setLastName", "setNickName", "setDisplayName"] as const),
  ...(["setPreferredLanguage", "setEmail", "setEmailVerified"] as const),
  ...(["setPhone", "setPhoneVerified", "appendMetadata"] as const),
];
const claims: readonly EffectKind[] = ["setClaim", "appendLogIntoClaims", "setMetadata"];

/** The effects that exist at each trigger, by its number. */
export const effectsAt: { readonly [trigger in 1 | 2 | 3 | 4 | 5]: readonly EffectKind[] } = {
  1: [...profile, "setPreferredUsername"],
  2: [...profile, "setGender", "setUsername"],
  3: ["appendUserGrant"],
  4: claims,
  5: claims,
};
