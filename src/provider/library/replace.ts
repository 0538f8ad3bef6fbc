import type { errors, KoaContextWithOIDC, Provider } from "oidc-provider";
import type { ProviderParts } from "../base/parts.ts";
import type { Envelope } from "../token/envelope.ts";
import type { Keys } from "../token/keys.ts";

/** What the members are replaced with. */
export interface Given {
  readonly parts: ProviderParts;
  readonly keys: Pick<Keys, "published">;
  readonly envelope: Envelope;
  /** The request that the library works on. */
  readonly current: () => KoaContextWithOIDC | undefined;
  readonly errors: Pick<typeof errors, "UnauthorizedClient">;
}

/** What the library has to have, and why it is not left as it is. */
export interface Reason {
  /** How many parameters the member declares; none where it is a getter. */
  readonly takes?: number;
  readonly why: string;
  /** What fails where the replacement is not called. */
  readonly without: string;
}

/**
 * A member of the library that is replaced here, though it is private, or not documented to be
 * replaced: any version may move it. A test looks whether each is there in the form that is named.
 */
export interface Patch extends Reason {
  /** Where it is, from the provider on. */
  readonly member: string;
  readonly apply: (provider: Provider, given: Given) => void;
}

/** Replaces a method of objects or, where the member has no `prototype`, of a class. */
export function method<This, Sent extends readonly unknown[], Result>(
  member: string,
  reason: Reason & { readonly takes: number },
  replace: (original: Method<This, Sent, Result>, given: Given) => Method<This, Sent, Result>,
): Patch {
  const apply = (provider: Provider, given: Given) => {
    const [owner, name] = ownerOf(provider, member);
    const original: Method<This, Sent, Result> | undefined = Reflect.get(owner, name);
    if (original === undefined) throw missing(member);
    const value = replace(original, given);
    Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  };
  return { member, ...reason, apply };
}

/** Replaces a getter of either. */
export function getter<This, Value>(
  member: string,
  reason: Reason,
  replace: (original: Method<This, [], Value>) => Method<This, [], Value>,
): Patch {
  const apply = (provider: Provider) => {
    const [owner, name] = ownerOf(provider, member);
    const original = Object.getOwnPropertyDescriptor(owner, name)?.get;
    if (original === undefined) throw missing(member);
    Object.defineProperty(owner, name, { get: replace(original), configurable: true });
  };
  return { member, ...reason, apply };
}

/** No service runs without a replacement that it relies on. */
function missing(member: string): Error {
  return new TypeError(`the library has no ${member}`);
}

type Method<This, Sent extends readonly unknown[], Result> = (this: This, ...sent: Sent) => Result;

/** Where a member is: what has it, and its name there. */
export function ownerOf(
  provider: Provider,
  member: string,
): readonly [place: object, name: string] {
  const path = member.split(".");
  const name = path.pop() ?? "";
  return [path.reduce((place: object, part) => Reflect.get(place, part), provider), name];
}
