import { type Identity, readText } from "./identity.ts";
import { lineProblem } from "./name.ts";
import { emailProblem } from "./user/human/email.ts";
import { accountCharacters, languageProblem, type OwnAccount } from "./user/human/human.ts";
import { mayBeMetadata } from "./user/metadata.ts";
import type { Profile } from "./user/state/human-state.ts";

/** A key of metadata that an action has asked for. */
export interface AskedMetadata {
  readonly actionId: string;
  readonly key: string;
  readonly value: unknown;
}

/** Somebody who comes to log in or to get an account, as actions have made it. */
export interface Comer extends Omit<Identity, "externalUserId"> {
  readonly nickName: string;
  readonly gender: Profile["gender"];
  /** In E.164; empty for none. */
  readonly phone: string;
  /** The action that says that the number is verified. */
  readonly phoneVerifiedBy?: string | undefined;
  /** The action that says that the address is verified, where the provider does not. */
  readonly emailVerifiedBy?: string | undefined;
  readonly metadata: readonly AskedMetadata[];
}

/** What somebody says of itself who comes: an address of its own nobody vouches for. */
export function withChosen<One extends Comer>(comer: One, chosen: OwnAccount): One {
  const isSame = chosen.email === comer.email;
  const unverified = { isEmailVerified: false, emailVerifiedBy: undefined };
  return { ...comer, ...chosen, ...(isSame ? {} : unverified) };
}

/** The bounds on what actions make of somebody who comes. */
export const comerLimits = {
  /** Keys of metadata. */
  metadata: 10,
} as const;

/** Somebody who comes from a provider. */
export type ExternalComer = Comer & Pick<Identity, "externalUserId">;

/** Somebody of whom no action has said anything. */
export function comerOf<One extends Omit<Identity, "externalUserId">>(said: One): One & Comer {
  return { ...said, nickName: "", gender: "UNSPECIFIED", phone: "", metadata: [] };
}

/** What an action asks for, as far as it is about somebody who comes. */
interface ComerEffect {
  readonly kind: string;
  readonly name: string;
  readonly value: unknown;
}

/** What an action has asked for, and which one that was. */
interface Asking {
  readonly actionId: string;
  readonly effects: readonly ComerEffect[];
}

/** Takes what an action asks for. What breaks a rule of people is left as it was. */
export function shapeComer<One extends Comer>(comer: One, { actionId, effects }: Asking): One {
  let shaped = comer;
  for (const effect of effects) {
    const shape = Object.hasOwn(shapes, effect.kind) ? shapes[effect.kind] : undefined;
    if (shape !== undefined) shaped = { ...shaped, ...shape(effect, shaped, actionId) };
  }
  return shaped;
}

type Shape = (effect: ComerEffect, comer: Comer, actionId: string) => Partial<Comer>;

const phoneForm = /^\+[1-9]\d{1,14}$/;
const genders = ["UNSPECIFIED", "FEMALE", "MALE", "DIVERSE"] as const;

function named(name: keyof Comer, rule = lineProblem, most: number = accountCharacters.name) {
  const shape: Shape = ({ value }) => {
    const text = readText(value, most, rule);
    return text === "" ? {} : { [name]: text };
  };
  return shape;
}

const shapes: { readonly [kind: string]: Shape } = {
  setFirstName: named("firstName"),
  setLastName: named("lastName"),
  setNickName: named("nickName"),
  setDisplayName: named("displayName"),
  setPreferredUsername: named("userName"),
  setUsername: named("userName"),
  setPreferredLanguage: named("preferredLanguage", languageProblem, accountCharacters.language),
  setGender: ({ value }) => {
    const gender = genders.find((one, at) => value === at || value === one);
    return gender === undefined ? {} : { gender };
  },
  setEmail: ({ value }, { email: before }) => {
    const email = readText(value, accountCharacters.email, emailProblem);
    // What the provider vouches for is the address that it has said.
    return email === "" || email === before
      ? {}
      : { email, isEmailVerified: false, emailVerifiedBy: undefined };
  },
  setEmailVerified: ({ value }, { isEmailVerified }, actionId) => {
    if (value === true) return isEmailVerified ? {} : { emailVerifiedBy: actionId };
    return value === false ? { isEmailVerified: false, emailVerifiedBy: undefined } : {};
  },
  setPhone: ({ value }) =>
    typeof value === "string" && phoneForm.test(value)
      ? { phone: value, phoneVerifiedBy: undefined }
      : {},
  setPhoneVerified: ({ value }, _comer, actionId) => ({
    phoneVerifiedBy: value === true ? actionId : undefined,
  }),
  appendMetadata: ({ name: key, value }, { metadata }, actionId) =>
    metadata.length < comerLimits.metadata && mayBeMetadata(key, value)
      ? { metadata: [...metadata, { actionId, key, value }] }
      : {},
};

/** Whether an address is verified: by the provider in this login, or by an action. */
export function isVouchedFor(
  { email, isEmailVerified, emailVerifiedBy }: Comer,
  address: string,
): boolean {
  return (isEmailVerified || emailVerifiedBy !== undefined) && email === address;
}
