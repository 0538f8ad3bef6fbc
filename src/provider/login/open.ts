import type { FastifyRequest } from "fastify";
import type { InteractionResults, Provider } from "oidc-provider";
import type { LoginPolicy } from "../../domain/policy/login.ts";
import type { Frame } from "../../domain/user/access.ts";
import type { Passkey } from "../../domain/user/credential/passkey.ts";
import { findOrganizationName } from "../../execute/organization.ts";
import { findPolicies } from "../../execute/policies.ts";
import type { Answer, Visit } from "../../pages/account.ts";
import { type LoginTarget, loginNoticePage } from "../../pages/html/login.ts";
import { languageOfLocales } from "../../text/language.ts";
import { findDestination } from "../base/destination.ts";
import { locate } from "../base/locate.ts";
import type { ProviderParts } from "../base/parts.ts";
import type { FindProvider } from "../token/now.ts";
import { hasBegun } from "./browser.ts";
import type { Guess } from "./guesses.ts";

/** What the pages are made with. */
export interface LoginSite extends ProviderParts {
  readonly findProvider: FindProvider;
  /** What a request counts for; undefined where it has no share of its own. */
  readonly addressOf: (request: FastifyRequest) => string | undefined;
  /** A hash that no password has, to compare with in place of one that is not there. */
  readonly noHash: () => Promise<string>;
  readonly guess: Guess;
  /** How browsers create passkeys. */
  readonly passkeys: Passkeys;
}

/** Has a browser create a passkey, and reads what it answers: see `createPasskeys`. */
export interface Passkeys {
  createOptions(
    link: { readonly userId: string; readonly codeId: string },
    person: {
      readonly userName: string;
      readonly displayName: string;
      readonly passkeys: readonly Pick<Passkey, "credentialId">[];
    },
  ): Promise<object>;
  /** Throws what is told of a refusal where it was not asked for, or is none. */
  verify(
    link: { readonly userId: string; readonly codeId: string },
    created: {
      readonly id: string;
      readonly clientDataJson: string;
      readonly attestationObject: string;
      readonly transports: string[];
    },
  ): Promise<Omit<Passkey, "name">>;
}

type Details = Awaited<ReturnType<Provider["interactionDetails"]>>;

/** A login that is open in the browser that asks. */
export interface Open {
  readonly visit: Visit;
  /** What the request counts for; undefined where it has no share of its own. */
  readonly address: string | undefined;
  readonly site: LoginSite;
  readonly provider: Provider;
  readonly details: Details;
  readonly target: LoginTarget;
  readonly project: Frame;
  /** What counts in the organization of the page. */
  readonly policy: LoginPolicy;
}

/**
 * Answers for a login that is open in the browser that asks; any other is over. Where somebody was
 * logged in as it began, the browser has to have that session, too: the address of a page, which
 * people may show to others, says what its own cookie does. Pages are in the language that the
 * application asks for, and their forms lead on to it.
 */
export async function within(
  site: LoginSite,
  visit: Visit,
  answer: (open: Open) => Promise<Answer>,
): Promise<Answer> {
  const { raw } = visit.request;
  // Before what proxies say of it is taken away.
  const address = site.addressOf(visit.request);
  locate(raw, { publicUrl: site.publicUrl(), address });
  const { provider } = await site.findProvider();
  const { uid } = visit.request.params as { readonly uid: string };
  const details = await provider.interactionDetails(raw, visit.reply.raw).catch(noneWhereOver);
  const leadsTo = details && (await findDestination(site, String(details.params.client_id)));
  const { session } = details ?? {};
  const own = session && (await provider.Session.get(provider.createContext(raw, visit.reply.raw)));
  const isHere = details?.uid === uid && hasBegun(visit.request, site, details);
  if (!isHere || leadsTo === undefined || own?.uid !== session?.uid) {
    return { status: 400, page: loginNoticePage("expired") };
  }
  const { name: application, project } = leadsTo;
  const organization = await findOrganizationName(site.store, leadsTo.organization);
  const { login: policy } = await findPolicies(site.store, leadsTo.organization);
  const target = { uid, application, organization, mayRegister: policy.allowRegister };
  const open = { visit, address, site, provider, details, target, project, policy };
  const answered = await site.unit.hold(() => answer(open));
  if (!("page" in answered)) return answered;
  const language = languageOfLocales(details.params.ui_locales);
  return { ...answered, leadsOn: true, language };
}

function noneWhereOver(error: unknown): undefined {
  if (error instanceof Error && error.name === "SessionNotFound") return undefined;
  throw error;
}

/** Ends the login with a result, and leads back to the provider. */
export async function finish(open: Open, result: InteractionResults): Promise<Answer> {
  const { provider, visit } = open;
  return { location: await provider.interactionResult(visit.request.raw, visit.reply.raw, result) };
}

/** Tells the application that nobody logs in, and why in the words of the protocol. */
export async function refuse(open: Open, description: string): Promise<Answer> {
  return await finish(open, { error: "access_denied", error_description: description });
}

/** The answer that shows a page. */
export function ok(page: Extract<Answer, { readonly page: unknown }>["page"]): Answer {
  return { status: 200, page };
}
