import { failure } from "../../gateway/call/errors.ts";
import type { Answer, Visit } from "../../pages/account.ts";
import type { AccountPart } from "../../pages/account-parts.ts";
import type { PageTable } from "../../pages/routes.ts";
import { isEqual } from "../../secrets/tokens.ts";
import { accountClientId, accountPaths } from "../base/destination.ts";
import { routes } from "../base/site.ts";
import type { LoginSite } from "../login/open.ts";
import { findOwnSession, type OwnSession } from "./own-session.ts";

/** Milliseconds for which a login is fresh: what weakens an account needs such a one. */
export const freshMs = 5 * 60_000;

/** What the account page is made with. */
export interface AccountSite extends LoginSite {
  /** All that is kept of a person, as the pieces of one JSON document. */
  readonly openPersonalData: OpenPersonalData;
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
  /** Whether it is for those alone whose login is fresh. */
  readonly isFresh?: true;
  /** Shows it. */
  readonly show: (own: Own) => Promise<Answer>;
  /** What takes its forms, by the step that a form names. */
  readonly take: { readonly [step: string]: (own: Own) => Promise<Answer> };
}

/** The routes of a part. Who is not logged in, or not freshly where that counts, logs in first. */
export function partRoutes(site: AccountSite, part: AccountPart, about: Part): PageTable[string] {
  const takers = new Map(Object.entries(about.take));
  const find = async (visit: Visit): Promise<Own | undefined> => {
    const found = await findOwnSession(site, visit);
    const isStale = about.isFresh && (found?.begunMs ?? 0) <= site.now() - freshMs;
    return found === undefined || isStale ? undefined : { ...found, site, visit };
  };
  return {
    get: async (visit) => {
      const own = await find(visit);
      return own === undefined ? loginTo(site, part) : await about.show(own);
    },
    post: async (visit) => {
      const own = await find(visit);
      if (own === undefined) return loginTo(site, part);
      const { fields } = visit;
      if (!isEqual(own.secret, fields.of("secret"))) {
        throw failure({ reason: "MALFORMED_REQUEST", message: "The form is of another session." });
      }
      const take = takers.get(fields.of("step"));
      if (take !== undefined) return await take(own);
      throw failure({ reason: "MALFORMED_REQUEST", message: "Unknown step." });
    },
  };
}

/** To a login that leads back to a part. Who is logged in already has come for a fresh one. */
function loginTo({ publicUrl }: Pick<LoginSite, "publicUrl">, part: AccountPart): Answer {
  const asked = new URLSearchParams({
    client_id: accountClientId,
    redirect_uri: publicUrl() + accountPaths.callback,
    ...{ response_type: "none", scope: "openid", prompt: "login", state: part },
  });
  return { location: `${publicUrl()}${routes.authorization}?${asked}` };
}

/** Back to a part, which the browser asks for anew. */
export function backTo(part: AccountPart): Answer {
  return { redirect: part === "overview" ? "../account" : `../account/${part}` };
}
