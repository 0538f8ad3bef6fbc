import type { FastifyRequest } from "fastify";
import type { InteractionResults, KoaContextWithOIDC, Provider } from "oidc-provider";
import { labelingOf } from "../../domain/policy/labeling.ts";
import type { LoginPolicy } from "../../domain/policy/login.ts";
import type { Passkey } from "../../domain/user/state/passkey.ts";
import { findOrganizationName } from "../../execute/read-object.ts";
import { failureOf, reasonOf } from "../../gateway/call/errors.ts";
import type { Answer, Visit } from "../../pages/account.ts";
import type { Whose } from "../../pages/brand.ts";
import { type LoginTarget, loginNoticePage } from "../../pages/html/login.ts";
import { languageOfLocales } from "../../text/language.ts";
import { findDestination, type LoginFrame } from "../base/destination.ts";
import { locate } from "../base/locate.ts";
import type { ProviderParts } from "../base/parts.ts";
import { findLoginPolicy, findPageOrganization } from "../base/policy.ts";
import { findUser } from "../base/rows.ts";
import type { Protocols } from "../external/offers.ts";
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
  /** How people log in by identity providers. */
  readonly protocols: Protocols;
  /** How browsers create passkeys. */
  readonly passkeys: Passkeys;
}

/** Whom a passkey is created for; what browsers are told for another is of no use. */
interface PasskeyLink {
  readonly userId: string;
  readonly codeId: string;
}

/** Has browsers create passkeys, and reads what they answer: see `createPasskeys`. */
interface Passkeys {
  createOptions(
    link: PasskeyLink,
    person: {
      readonly userName: string;
      readonly displayName: string;
      readonly passkeys: readonly Pick<Passkey, "credentialId">[];
    },
  ): Promise<object>;
  /** Rejects as a refused call does where it was not asked for, or is none. */
  verify(
    link: PasskeyLink,
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
  /** The application that the login is for. */
  readonly clientId: string;
  readonly target: LoginTarget;
  readonly project: LoginFrame;
  /** The organization that the pages are of: see `findPageOrganization`. */
  readonly organization: string | undefined;
  /** What holds for everybody who logs in here: see `withPolicyOf`. */
  readonly policy: LoginPolicy;
}

/**
 * Answers for a login that is open in the browser that asks; any other is over. Where somebody was
 * logged in as it began, the browser has to have that session, too: the address of a page, which
 * people may show to others, says what its own cookie does. Pages are in the language that the
 * application asks for, with the brand of whom they are of, and their forms lead on to it.
 */
export async function within(
  site: LoginSite,
  visit: Visit,
  answer: (open: Open) => Promise<Answer>,
): Promise<Answer> {
  const { provider, address, ctx } = await reachLibrary(site, visit);
  const { uid } = visit.request.params as { readonly uid: string };
  const details = await provider.interactionDetails(ctx.req, ctx.res).catch(noneWhereOver);
  const leadsTo = details && (await findDestination(site, String(details.params.client_id)));
  const { session } = details ?? {};
  const own = session && (await provider.Session.get(ctx));
  const isHere = details?.uid === uid && hasBegun(visit.request, site, details);
  if (!isHere || leadsTo === undefined || own?.uid !== session?.uid) return expired;
  const { name: application, project } = leadsTo;
  const ofApplication = await findOrganizationName(site.objects.current, leadsTo.organization);
  const { client_id: asked, scope } = details.params;
  const clientId = String(asked);
  const begun = { clientId, scope: String(scope) };
  const policy = await findLoginPolicy(site, begun);
  const organization = await findPageOrganization(site, begun);
  const { allowPassword: password, allowPasskeys: passkey } = policy;
  const register = policy.allowRegister && organization !== undefined;
  // What the first page offers.
  const ways = { password, passkey, reset: offersReset(policy), register };
  const isAway = begun.scope.split(" ").includes("offline_access");
  const target = { uid, application, organization: ofApplication, isAway, ways };
  const begins = { provider, details, clientId, target, project, organization, policy };
  const open = { visit, address, site, ...begins };
  const refused = refusedByAction(open);
  const answered = await site.unit.hold(() => answer(open)).catch(refused);
  if (!("page" in answered)) return answered;
  const language = languageOfLocales(details.params.ui_locales);
  return { ...answered, leadsOn: true, language, whose: await whoseOf(open) };
}

/** The library, and a request as it takes one: with where it is reached, and by whom. */
export async function reachLibrary(
  site: LoginSite,
  { request, reply }: Pick<Visit, "request" | "reply">,
) {
  // Before what proxies say of it is taken away.
  const address = site.addressOf(request);
  locate(request.raw, { publicUrl: site.publicUrl(), address });
  const { provider } = await site.findProvider();
  const ctx = provider.createContext(request.raw, reply.raw) as KoaContextWithOIDC;
  return { provider, address, ctx };
}

/**
 * Whose brand pages show. Who is logged in has proven who they are, unless asked to do so anew.
 * Before, a scope may name another organization, but for a project that enforces its own.
 */
async function whoseOf(open: Open): Promise<Whose | undefined> {
  const { site, details, project, organization: page } = open;
  const { prompt, session } = details;
  const isProven = session !== undefined && prompt.name !== "login";
  const found = isProven ? await findUser(site, session.accountId) : undefined;
  const organization = labelingOf(project.privateLabelingSetting, {
    ...{ page, project: project.organization },
    person: found === undefined ? page : found.state.organization,
  });
  return organization === undefined ? undefined : { organization };
}

/** Whether a forgotten password may be replaced by a mail. */
export function offersReset({ allowPassword, hidePasswordReset }: LoginPolicy): boolean {
  return allowPassword && !hidePasswordReset;
}

/** Makes what is said where an action of an organization fails that may not. */
function refusedByAction(open: Open): (error: unknown) => Answer {
  return (error) => {
    const refusal = failureOf(error);
    if (refusal === undefined || reasonOf(refusal) !== "ACTION_FAILED") throw error;
    return notAllowed(open);
  };
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

/** The way to where the login stands. */
export function toLogin({ target }: Pick<Open, "target">): Answer {
  return { redirect: `login/${target.uid}` };
}

/** What is said of a login that is over, or of another browser. */
export const expired: Answer = { status: 400, page: loginNoticePage("expired") };

/** What is said to a person whose account has yet to be set up; another may log in instead. */
export function unready(open?: Pick<Open, "target">): Answer {
  return { status: 403, page: loginNoticePage("unready", open?.target) };
}

/** What is said of a way in that the rules do not allow; another one may lead in. */
export function notAllowed({ target }: Pick<Open, "target">): Answer {
  return { status: 403, page: loginNoticePage("notAllowed", target) };
}

/** The answer that shows a page. */
export function ok(page: Extract<Answer, { readonly page: unknown }>["page"]): Answer {
  return { status: 200, page };
}
