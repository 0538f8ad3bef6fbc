/** Where a script finds what makes an effect, and whether that has a name before its value. */
interface EffectRule {
  /** Its place in `api`, with dots. */
  readonly path: string;
  readonly isNamed?: true;
}

/** What scripts can ask for, by the name that effects have in `Run.api` and `Effect.kind`. */
export const effectRules = {
  setClaim: { path: "v1.claims.setClaim", isNamed: true },
  appendLogIntoClaims: { path: "v1.claims.appendLogIntoClaims" },
  setMetadata: { path: "v1.user.setMetadata", isNamed: true },
  appendMetadata: { path: "v1.user.appendMetadata", isNamed: true },
  appendUserGrant: { path: "v1.appendUserGrant" },
  setFirstName: { path: "setFirstName" },
  setLastName: { path: "setLastName" },
  setNickName: { path: "setNickName" },
  setDisplayName: { path: "setDisplayName" },
  setGender: { path: "setGender" },
  setPreferredLanguage: { path: "setPreferredLanguage" },
  setPreferredUsername: { path: "setPreferredUsername" },
  setUsername: { path: "setUsername" },
  setEmail: { path: "setEmail" },
  setEmailVerified: { path: "setEmailVerified" },
  setPhone: { path: "setPhone" },
  setPhoneVerified: { path: "setPhoneVerified" },
} as const satisfies { readonly [kind: string]: EffectRule };

/** The name of an effect. */
export type EffectKind = keyof typeof effectRules;
