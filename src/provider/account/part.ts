import type { Rejection } from "../../domain/decision.ts";
import type { Own as Self } from "../../domain/user/own/own.ts";
import type { EndingDecision } from "../../domain/user/state/acting.ts";
import type { UserState } from "../../domain/user/state/user.ts";
import { failure } from "../../gateway/call/errors.ts";
import type { Answer, Visit } from "../../pages/account.ts";
import type { AccountPart } from "../../pages/account-parts.ts";
import type { PageTable } from "../../pages/routes.ts";
import { isEqual } from "../../secrets/tokens.ts";
import { decideAs } from "../base/decide.ts";
import { accountClientId, accountPaths } from "../base/destination.ts";
import { routes } from "../base/site.ts";
import { type LoginSite, unready } from "../login/open.ts";
import { findOwnSession, type OwnSession, ownOf } from "./own-session.ts";

/** Milliseconds for which a login is fresh: what weakens an account needs such a one. */
export const freshMs = 5 * 60_000;

/** What the account page is made with. */
export interface AccountSite extends LoginSite {
  /** All that is kept of a person, as the pieces of one JSON document. */
  readonly openPersonalData: OpenPersonalData;
  /** Reads a phone number as E.164; undefined where the text is none. */
  readonly readPhoneNumber: (text: string) => Promise<string | undefined>;
}

/**
 * Begins to read all that is kept of a person. Rejects with a ConnectError before the first piece
 * where that was read too often.
 */
export type OpenPersonalData = (person: {
  readonly userId: string;
  readonly organization: string;
}) => Promise<AsyncIterable<string>>;

/** A person who is logged in, and what was sent. */
export interface Own extends OwnSession {
  readonly site: AccountSite;
  readonly visit: Visit;
}

/** A part of the account page. */
export interface Part {
  /** Whether a person has to have a fresh login for it; left out, nobody has. */
  readonly isFresh?: (state: UserState) => boolean;
  /** Shows it. */
  readonly show: (own: Own) => Promise<Answer>;
  /** What takes its forms, by the step that a form names. */
  readonly take: { readonly [step: string]: (own: Own) => Promise<Answer> };
}

/** The routes of a part. Who is not logged in, or not freshly where that counts, logs in first. */
export function partRoutes(site: AccountSite, part: AccountPart, about: Part): PageTable[string] {
  const takers = new Map(Object.entries(about.take));
  const find = async (visit: Visit): Promise<Own | Answer> => {
    const own = await findOwnSession(site, visit);
    if (own === undefined) return loginTo(site, part);
    const isStale = about.isFresh?.(own.found.state) && own.provenMs <= site.now() - freshMs;
    return isStale ? loginTo(site, part, { prompt: "login" }) : { ...own, site, visit };
  };
  return {
    get: async (visit) => {
      const own = await find(visit);
      return "found" in own ? ofPerson(own, await about.show(own)) : own;
    },
    post: async (visit) => {
      const own = await find(visit);
      if (!("found" in own)) return own;
      const { fields } = visit;
      if (!isEqual(own.secret, fields.of("secret"))) {
        throw failure({ reason: "MALFORMED_REQUEST", message: "The form is of another session." });
      }
      const take = takers.get(fields.of("step"));
      if (take !== undefined) return ofPerson(own, await take(own));
      throw failure({ reason: "MALFORMED_REQUEST", message: "Unknown step." });
    },
  };
}

/** The answer with the brand of the person's organization. */
function ofPerson({ found }: Own, answered: Answer): Answer {
  const { organization } = found.state;
  return "page" in answered ? { ...answered, whose: { organization } } : answered;
}

/** To a login that leads back to a part. Who is logged in already has come for a fresh one. */
function loginTo(
  { publicUrl }: Pick<LoginSite, "publicUrl">,
  part: AccountPart,
  fresh: { readonly prompt?: "login" } = {},
): Answer {
  const asked = new URLSearchParams({
    client_id: accountClientId,
    redirect_uri: publicUrl() + accountPaths.callback,
    ...{ response_type: "none", scope: "openid", state: part, ...fresh },
  });
  return { location: `${publicUrl()}${routes.authorization}?${asked}` };
}

/** What a part may say that is done. */
type Doing = "saved" | "removed" | "renamed" | "ended" | "endedOthers" | "withdrawn";

/** Back to a part, which the browser asks for anew; it may say that something is done. */
export function backTo(part: AccountPart, done?: Doing): Answer {
  const path = part === "overview" ? "../account" : `../account/${part}`;
  return { redirect: done === undefined ? path : `${path}?done=${done}` };
}

/** Which of these a part says is done; left out where it is shown for itself: see `backTo`. */
export function doneIn<One extends Doing>(
  own: Pick<Own, "visit">,
  those: readonly One[],
): { readonly done?: One } {
  const done = those.find((one) => isDone(own, one));
  return done === undefined ? {} : { done };
}

/** Whether a part is shown because this is done. */
export function isDone({ visit }: Pick<Own, "visit">, doing: Doing): boolean {
  return visit.fields.of("done") === doing;
}

/** Decides in the session of the person: see `decideAs`. */
export async function decideOwn(
  own: Own,
  decision: (state: UserState | undefined, self: Self, nowMs: number) => EndingDecision,
): Promise<Rejection | undefined> {
  const self = ownOf(own);
  return await decideAs(own.site, own.found, (state, nowMs) => decision(state, self, nowMs));
}

/** The answer to a refusal that is about nothing of a form: the session may be over. */
export function refusedIn(part: AccountPart, { reason }: Rejection): Answer {
  return reason === "USER_NOT_INITIALIZED" ? unready() : backTo(part);
}
