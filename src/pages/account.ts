import type { ConnectError } from "@connectrpc/connect";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AccountService } from "../../gen/iam/account/v1/account_service_pb.js";
import { isPasswordLong } from "../domain/user/credential/password.ts";
import { userLimits } from "../domain/user/state/user.ts";
import { failure, httpStatusOf, reasonOf } from "../gateway/call/errors.ts";
import type { Language } from "../text/language.ts";
import { readCode } from "../text/typed.ts";
import type { FindBrand, Whose } from "./brand.ts";
import type { Fields } from "./form.ts";
import { emailCodePage, emailPage } from "./html/email.ts";
import { accountPage, initializationCodePage } from "./html/initialization.ts";
import { donePage } from "./html/notice.ts";
import type { Frame, Page } from "./html/page.ts";
import { passkeyPage, passkeysFullPage } from "./html/passkey.ts";
import { phonePage } from "./html/phone.ts";
import type { OwnCall } from "./own-call.ts";
import { brokenFields, isAboutCode, problemOf } from "./problem.ts";
import type { After } from "./texts.ts";

/** What somebody asks for who opens a link or sends a form. */
export interface Visit {
  readonly fields: Fields;
  readonly call: OwnCall;
  readonly requestId: string;
  readonly findBrand: FindBrand;
  readonly request: FastifyRequest;
  /** For cookies alone: what is answered is what the page comes to. */
  readonly reply: FastifyReply;
}

/**
 * A page, a file, an image that stays as it is, or the way to another page: below `/ui/`, or
 * anywhere by its whole address.
 */
export type Answer =
  | SentPage
  | { readonly image: ServedFile }
  | { readonly file: Download }
  | { readonly redirect: string }
  | { readonly location: string };

/** A file that a browser shows. */
export interface ServedFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** The same bytes by gzip, where they were packed. */
  readonly gzip?: Uint8Array;
}

/** A file that the browser keeps. */
export interface Download {
  readonly name: string;
  readonly contentType: string;
  readonly pieces: AsyncIterable<string>;
}

interface SentPage {
  readonly status: number;
  readonly page: (frame: Frame) => Page;
  /** Whether forms of the page lead on to an application: see `sendPage`. */
  readonly leadsOn?: boolean;
  /** Whose brand it shows; left out, that of the instance. */
  readonly whose?: Whose | undefined;
  /** The language that the application asks for. */
  readonly language?: Language | undefined;
  /** Whether its address works once: then it repeats nothing of it, to choose a language by. */
  readonly isOnce?: boolean;
}

const { beginPasskey, checkInitialization, initialize, verifyEmail, verifyPhone } =
  AccountService.method;

/**
 * The link of the initialization mail, with its code or without. A code that people type is tried
 * when they send it, and not because somebody has opened a link: tries are counted.
 */
export async function showInitialization(visit: Visit): Promise<Answer> {
  const given = shownCode(visit);
  if (!ofLink.test(given.code)) return ok(initializationCodePage(given, { isWrong: false }));
  return await showAccount(visit, given, (error) => problemOf(error, "code", visit));
}

/** The two forms behind that link: the one for the code, and then the one for the password. */
export async function takeAccount(visit: Visit): Promise<Answer> {
  const given = shownCode(visit);
  const step = visit.fields.of("step");
  if (step === "account") return await setUpAccount(visit, given);
  if (step !== "code") throw failure({ reason: "MALFORMED_REQUEST", message: "Unknown step." });
  return await showAccount(visit, given, (error) =>
    isAboutCode(error)
      ? again(error, initializationCodePage({ ...given, code: "" }, { isWrong: true }))
      : problemOf(error, "code", visit),
  );
}

/** A user's id and a code of the kind that people type. */
interface ShownCode {
  readonly userId: string;
  readonly code: string;
}

// Whose account it is says the brand of the page only to who has shown a code of it: to others an
// id would tell of which organization somebody is, and that there is somebody.
async function showAccount(
  { call }: Visit,
  given: ShownCode,
  refused: (error: ConnectError) => Answer,
): Promise<Answer> {
  const { message, error } = await call(checkInitialization, given);
  if (error !== undefined) return refused(error);
  return ok(accountPage({ ...message, ...given }, {}), given);
}

async function setUpAccount(visit: Visit, given: ShownCode): Promise<Answer> {
  const checked = await visit.call(checkInitialization, given);
  if (checked.error !== undefined) return problemOf(checked.error, "code", visit);
  const password = visit.fields.of("password");
  const { error } = await visit.call(initialize, { ...given, password });
  if (error === undefined) {
    return await done(visit, "account", given, checked.message.phoneUnverified);
  }
  if (!brokenFields(error).includes("password")) return problemOf(error, "code", visit);
  const wrong = isPasswordLong(password) ? "common" : "length";
  return again(error, accountPage({ ...checked.message, ...given }, { wrong }), given);
}

/** The link with which a passkey is registered. The script of the page does the rest. */
export async function showPasskey(visit: Visit): Promise<Answer> {
  const userId = part(visit, "userID");
  const link = { userId, codeId: part(visit, "codeID"), code: part(visit, "code") };
  const { message, error } = await visit.call(beginPasskey, link);
  const { passkeys: passkeysMax } = userLimits;
  if (error !== undefined) {
    return reasonOf(error) === "LIMIT_REACHED"
      ? again(error, passkeysFullPage({ passkeysMax }), link)
      : problemOf(error, "passkeyCode", visit);
  }
  const { user } = message.options as { readonly user?: { readonly name?: string } };
  const done = await donePath(visit, "passkey", link);
  return ok(passkeyPage({ ...link, userName: user?.name ?? "", done, passkeysMax }), link);
}

export async function showPhone(visit: Visit): Promise<Answer> {
  return ok(phonePage(part(visit, "userID"), { isWrong: false }));
}

/** The form with the code that was sent to a phone. */
export async function takePhone(visit: Visit): Promise<Answer> {
  const given = shownCode(visit);
  const { error } = await visit.call(verifyPhone, given);
  if (error === undefined) return await done(visit, "phone", given);
  if (!isAboutCode(error)) return problemOf(error, "code", visit);
  return again(error, phonePage(given.userId, { isWrong: true }));
}

/** The link of the mail to verify an address, with its code or without. Only its form is a try. */
export async function showEmail(visit: Visit): Promise<Answer> {
  const given = shownCode(visit);
  return ok(ofLink.test(given.code) ? emailPage(given) : emailCodePage(given, { isWrong: false }));
}

/** The form behind that link. */
export async function takeEmail(visit: Visit): Promise<Answer> {
  const given = shownCode(visit);
  const { error } = await visit.call(verifyEmail, given);
  if (error === undefined) return await done(visit, "email", given);
  return isAboutCode(error) && !ofLink.test(given.code)
    ? again(error, emailCodePage({ ...given, code: "" }, { isWrong: true }))
    : problemOf(error, "emailCode", visit);
}

/** The page when everything is done; the link says what that was. */
export async function showDone({ fields }: Visit): Promise<Answer> {
  const after = afters.find((one) => one === fields.of("after")) ?? "something";
  const phoneOf = fields.of("userID");
  const organization = fields.of("orgID");
  return {
    ...{ status: 200, page: donePage({ after, ...(phoneOf === "" ? {} : { phoneOf }) }) },
    whose: organization === "" ? undefined : { organization },
  };
}

const afters: readonly After[] = ["account", "passkey", "phone", "email", "owner"];

async function done(
  visit: Visit,
  after: After,
  person: Person,
  isPhoneOpen = false,
): Promise<Answer> {
  return { redirect: await donePath(visit, after, person, isPhoneOpen) };
}

/** Who has shown a code, and so sees the brand of their organization. */
type Person = Pick<ShownCode, "userId">;

/** The way to the last page, which names the organization, since nobody shows it a code. */
async function donePath(
  { findBrand }: Visit,
  after: After,
  { userId }: Person,
  isPhoneOpen = false,
): Promise<string> {
  const orgID = (await findBrand({ userId }))?.organization;
  const phone = isPhoneOpen ? { userID: userId } : {};
  const whose = orgID === undefined ? {} : { orgID };
  return `done?${new URLSearchParams({ after, ...phone, ...whose })}`;
}

function ok(page: SentPage["page"], person?: Person): Answer {
  return { status: 200, page, whose: person && { userId: person.userId } };
}

/** The same form once more, with what is wrong. */
function again(error: ConnectError, page: SentPage["page"], person?: Person): Answer {
  return { status: httpStatusOf(error), page, whose: person && { userId: person.userId } };
}

function shownCode(visit: Visit): ShownCode {
  return { userId: part(visit, "userID"), code: typedCode(visit) };
}

/** Case, spaces and hyphens make no difference to people; the service compares codes exactly. */
export function typedCode({ fields }: Pick<Visit, "fields">): string {
  const code = readCode(fields.of("code"));
  return ofLink.test(code) ? code : code.toUpperCase();
}

/** The form of a code that stands in a link and is not typed. */
const ofLink = /^[0-9a-f]{32}$/;

/** A part that every link of its kind has. Throws where it is missing. */
function part({ fields }: Visit, name: string): string {
  const value = fields.of(name);
  if (value !== "") return value;
  const violations = [{ field: name, description: "must be in the link" }];
  throw failure({ reason: "INVALID_FIELDS", message: `The link has no ${name}.`, violations });
}
