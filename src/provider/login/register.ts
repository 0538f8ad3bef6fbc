import { accept } from "../../domain/decision.ts";
import { isOfDomains, isUnified } from "../../domain/registration/domains.ts";
import type { PendingRegistration, Registrant } from "../../domain/registration/pending.ts";
import { registration, requestMail } from "../../domain/registration/registration.ts";
import { accountCharacters, brokenParts } from "../../domain/user/human/human.ts";
import { stranger } from "../../domain/user/state/made.ts";
import { failure } from "../../gateway/call/errors.ts";
import { type Answer, typedCode } from "../../pages/account.ts";
import {
  registerCodePage,
  registerNoticePage,
  registerPage,
  type WrongRegister,
} from "../../pages/html/register.ts";
import { languageFor } from "../../pages/language-choice.ts";
import { createCode } from "../../secrets/codes.ts";
import { languageOfLocales } from "../../text/language.ts";
import {
  findRegistration,
  putRegistration,
  removeRegistration,
  tryRegistration,
} from "../base/pending-registration.ts";
import { countRegistration } from "../base/tries.ts";
import { firstPage } from "./first.ts";
import { type Open, ok, toLogin } from "./open.ts";
import { askForCreation, showWay, takeCreated, takeNewPassword } from "./register-way.ts";

/** The page where a registration of the login stands; undefined where none has begun. */
export async function showRegistration(given: Open): Promise<Answer | undefined> {
  const open = registeringIn(given);
  const pending = open && (await findRegistration(open.site, open.target.uid));
  if (open === undefined || pending === undefined) return undefined;
  return pending.isProven ? showWay(open, pending) : showCode(open, pending);
}

/**
 * The page where a registration begins, if the application asks for one (Initiating User
 * Registration via OpenID Connect 1.0); undefined where it does not, or where nobody may register.
 */
export function beginRegistration(given: Open): Answer | undefined {
  const open = registeringIn(given);
  const asked = String(given.details.params.prompt ?? "").split(" ");
  const { login_hint: hint } = given.details.params;
  const somebody = { ...nobody, email: typeof hint === "string" ? hint : "" };
  return open !== undefined && asked.includes("create") ? ask(open, somebody) : undefined;
}

/** A login in which people may register. */
interface Registering extends Open {
  readonly organization: string;
}

/** The login as one to register in; undefined where people may not, as for the account page. */
function registeringIn(open: Open): Registering | undefined {
  const { organization, policy } = open;
  const mayRegister = policy.allowRegister && organization !== undefined;
  return mayRegister ? { ...open, organization } : undefined;
}

/** What takes the form of a step of a registration. */
const takers: { readonly [step: string]: (open: Registering) => Promise<Answer> } = {
  register: async (open) => ask(open, nobody),
  "register-ask": takeRegistrant,
  "register-again": again,
  "register-code": takeCode,
  "register-way": proven(async (open, pending) => showWay(open, pending)),
  "register-password": proven(takeNewPassword),
  "register-passkey": proven(askForCreation),
  "register-created": proven(takeCreated),
  "register-leave": leave,
};

const nobody: Registrant = { firstName: "", lastName: "", email: "" };

function ask(open: Open, given: Registrant, wrong?: WrongRegister, status = 400): Answer {
  const rule = {
    nameCharactersMax: accountCharacters.name,
    emailCharactersMax: accountCharacters.email,
    domains: open.policy.registerDomains,
  };
  const page = registerPage(open.target, given, { rule, ...(wrong && { wrong }) });
  return wrong === undefined ? ok(page) : { status, page };
}

function showCode({ target }: Open, { email }: Pick<Registrant, "email">): Answer {
  return ok(registerCodePage(target, { email, isWrong: false }));
}

async function takeRegistrant(open: Registering): Promise<Answer> {
  const { fields } = open.visit;
  const of = (name: keyof Registrant) => fields.of(name).trim();
  const given = { firstName: of("firstName"), lastName: of("lastName"), email: of("email") };
  // The address is the user name, unless another has to be chosen.
  const broken = brokenParts({ ...given, userName: "user" });
  const problems = isUnified(given.email) ? broken : [...broken, "email"];
  if (problems.length > 0) {
    return ask(open, given, Object.fromEntries(problems.map((name) => [name, "invalid"])));
  }
  if (!isOfDomains(given.email, open.policy.registerDomains)) {
    return ask(open, given, { mail: "domain" });
  }
  return await invite(open, given);
}

/** Sends another mail, with another code, for what waits. */
async function again(open: Registering): Promise<Answer> {
  const pending = await findRegistration(open.site, open.target.uid);
  return pending === undefined ? over(open) : await invite(open, pending);
}

/**
 * Has a mail sent. Nobody looks here whether somebody has the address: what is written, and what is
 * said, is the same. What waits is kept before the mail is asked for, which needs it.
 */
async function invite(
  open: Registering,
  { firstName, lastName, email }: Registrant,
): Promise<Answer> {
  const { site, target, organization, address, details, visit } = open;
  const given = { firstName, lastName, email };
  const isWithin = await countRegistration(site, { email, address });
  const id = site.newId();
  const pending = {
    ...{ ...given, id, userId: site.newId(), organization },
    language: languageFor(visit.request.headers, languageOfLocales(details.params.ui_locales)),
    code: createCode(site.random),
  };
  if (isWithin) {
    await putRegistration(site, target.uid, pending);
    if (await isAsked(open, id)) return toLogin(open);
    await removeRegistration(site, target.uid);
  }
  return ask(open, given, { mail: "tooMany" }, 429);
}

/** Asks for the mail. Resolves to whether it is made: there may be no room for another today. */
async function isAsked({ site, organization: owner }: Registering, id: string): Promise<boolean> {
  const outcome = await site.execute({
    actor: stranger,
    writes: { registration: { noun: registration, id, owner, isNew: true } },
    decide: () => requestMail(),
    unsent: () => accept({}),
  });
  return outcome.kind === "done" && outcome.written.length > 0;
}

async function takeCode(open: Open): Promise<Answer> {
  const { site, target, visit } = open;
  const tried = await tryRegistration(site, target.uid, typedCode(visit));
  if (tried === "right") return toLogin(open);
  const pending = await findRegistration(site, target.uid);
  if (tried === "over" || pending === undefined) return over(open);
  return { status: 400, page: registerCodePage(target, { email: pending.email, isWrong: true }) };
}

/** Takes a form of somebody whose address is proven; others are told that the code is over. */
function proven(
  take: (open: Open, pending: PendingRegistration) => Promise<Answer>,
): (open: Registering) => Promise<Answer> {
  return async (open) => {
    const pending = await findRegistration(open.site, open.target.uid);
    // The application of the page may lead to another organization by now.
    const isHere = pending?.organization === open.organization;
    return pending?.isProven && isHere ? await take(open, pending) : over(open);
  };
}

function over({ target }: Open): Answer {
  return { status: 400, page: registerNoticePage(target, "over") };
}

async function leave(open: Open): Promise<Answer> {
  await removeRegistration(open.site, open.target.uid);
  return await firstPage(open);
}

/** Takes the form of a step; undefined where it is none. Refused where people may not register. */
export async function takeRegistration(given: Open, step: string): Promise<Answer | undefined> {
  const take = Object.hasOwn(takers, step) ? takers[step] : undefined;
  if (take === undefined) return undefined;
  const open = registeringIn(given);
  if (open !== undefined) return await take(open);
  throw failure({ reason: "MALFORMED_REQUEST", message: "Nobody may register here." });
}
