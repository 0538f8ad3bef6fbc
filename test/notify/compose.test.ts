import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { findDestination, readAsking } from "../../src/domain/user/credential/delivery.ts";
import type { HumanAdded } from "../../src/domain/user/state/human-state.ts";
import type { UserState } from "../../src/domain/user/state/user.ts";
import { compose } from "../../src/notify/message/compose.ts";
import type { Message } from "../../src/notify/message/message.ts";
import { languageOfTag, languages, timeIn } from "../../src/text/language.ts";
import { few } from "../harness/in-full.ts";
import {
  codes,
  composeDue,
  happen,
  importPerson,
  type NotifyPlace,
  notifyPlace,
  organization,
  plainBrand,
  publicUrl,
  startMs,
} from "./place.ts";

const phone = "+4915112345678";

/** When a code is no longer valid that was made so many hours ago, as mails have it. */
function endIn(tag: string, hours: number): string {
  return `${timeIn(languageOfTag(tag), startMs + hours * 60 * 60_000)} UTC`;
}

let place: NotifyPlace;
let userId: string;

beforeEach(async () => {
  place = await notifyPlace();
});
afterEach(() => place.remove());

/** The mail and the SMS that importing a person asks for. */
async function messagesFor(given: Partial<HumanAdded>): Promise<readonly [Message, Message]> {
  userId = await importPerson(place, { phone, ...given });
  return composeAll(startMs);
}

const composeAll = (nowMs: number) => composeDue(place, userId, nowMs);

describe("the mail about a new account", () => {
  test("holds a link with everything that setting it up takes, and the code", async () => {
    const [mail] = await messagesFor({ email: "ada@example.com" });
    expect(mail).toMatchObject({ id: "2-code", channel: "email", to: "ada@example.com" });
    const links = mail.text.match(/https?:\S+/g) ?? [];
    expect(links).toHaveLength(1);
    expect(mail.text.split("\n")).toContain(links[0]);
    const link = new URL(links[0]!);
    expect(`${link.origin}${link.pathname}`).toBe(`${publicUrl}/ui/initialize`);
    expect([...link.searchParams]).toEqual([
      ["userID", userId],
      ["orgID", organization],
      // Longer than the one that is typed, and not it.
      ["code", expect.stringMatching(/^[0-9a-f]{32}$/)],
    ]);
    expect(mail.text.split(codes.initialization)).toHaveLength(2);
    expect(mail.text).toContain("an account was created for you at Analytical Engines.");
  });

  test("says until when the code is good, and not for how long: it may be late", async () => {
    const [mail] = await messagesFor({});
    // 72 hours after 14 November 2023, 22:13 UTC.
    expect(mail.text).toContain("17 November 2023 at 22:13 UTC");
  });

  few(2).each([
    ["quotes", 'Ada "The Countess" <King>', 'Ada "The Countess" <King>'],
    ["marks that turn the text around", "Ada\u202egnp.exe\u2066", "Ada gnp. exe"],
    ["spaces around and between", "\u3000 Ada \u00a0  L. ", "Ada L."],
    ["joiners, which are letters", "می\u200cخواهم", "می\u200cخواهم"],
    ["markup", "<b>{code} %s &lt;</b>", "<b>{code} %s &lt;</b>"],
    ["a hundred letters", "ä".repeat(100), "ä".repeat(100)],
    ["more than a hundred", "😀".repeat(101), "😀".repeat(100)],
  ])("greets by a name with %s on one line", async (_, displayName, expected) => {
    const [mail] = await messagesFor({ displayName });
    const [greeting] = mail.text.split("\n");
    expect(greeting).toBe(`Hello ${expected},`);
    expect(mail.subject).toBe("Set up your account");
  });
});

describe("the mail about a forgotten password", () => {
  const code = "a code that nobody guesses";

  async function resetMail(given: Partial<HumanAdded>, organization = "Analytical Engines") {
    userId = await importPerson(place, { ...given, mail: false });
    const stream = `user-${userId}`;
    const sealed = place.keyring.seal(code, { stream, field: "password.code" });
    const payload = { code: sealed, expirationMs: startMs + 60 * 60_000 };
    await happen(place.execute, userId, { type: "user.human.password.code.added", payload });
    const [leased] = await place.store.leaseMessages({ nowMs: startMs, leaseMs: 1_000, limit: 9 });
    const [stored] = await place.store.load([stream]);
    const user = JSON.parse(stored?.state ?? "") as UserState;
    const asked = readAsking(leased!.event);
    const destination = findDestination(user, asked, startMs)!;
    const order = { ...leased!, asked, destination, user, organization, brand: plainBrand };
    return compose(order, { keyring: place.keyring, publicUrl: () => publicUrl });
  }

  few(2).each([
    ["en", "Hello Ada Lovelace,", "Reset your password"],
    ["de", "Guten Tag Ada Lovelace,", "Wählen Sie ein neues Passwort"],
    ["fr", "Bonjour Ada Lovelace,", "Choisissez un nouveau mot de passe"],
    ["es", "Hola, Ada Lovelace:", "Elija una contraseña nueva"],
    ["it", "Buongiorno Ada Lovelace,", "Scelga una nuova password"],
    ["ja", "Ada Lovelace 様", "パスワードの再設定"],
    ["ar", "مرحبًا \u2068Ada Lovelace\u2069،", "إعادة تعيين كلمة المرور"],
  ])("in %s names the organization, and has one link with the code", async (language, ...said) => {
    const { to, text, html, subject } = await resetMail({
      ...{ preferredLanguage: language, email: "ada@example.com" },
    });
    expect(to).toBe("ada@example.com");
    expect([text.split("\n")[0], subject]).toEqual(said);
    expect(text).toContain("Analytical Engines");
    expect(text).toContain(endIn(language, 1));
    const [link = "", ...more] = text.match(/https?:\S+/g) ?? [];
    expect(more).toEqual([]);
    expect(link.startsWith(`${publicUrl}/ui/password?`)).toBe(true);
    expect(Object.fromEntries(new URL(link).searchParams)).toEqual({
      ...{ userID: userId, orgID: organization, code },
    });
    expect(html).toContain(`href="${link.replaceAll("&", "&amp;")}"`);
  });

  test("shows a name of an organization as nothing but a name", async () => {
    const { text, html = "" } = await resetMail({}, "Evil\nhttps://evil.example.com <b>");
    expect(text.match(/https?:\S+/g)).toHaveLength(1);
    expect(text).toContain("Evil https: //evil. example. com <b>");
    expect(html).not.toContain("<b>");
  });
});

describe("the mail to verify an address", () => {
  few(2).each([
    ["en", "was given", "Hello Ada Lovelace,", "Verify your email address"],
    ["de", "angegeben", "Guten Tag Ada Lovelace,", "Bestätigen Sie Ihre E-Mail-Adresse"],
    ["fr", "a été indiquée", "Bonjour Ada Lovelace,", "Vérifiez votre adresse e-mail"],
    ["es", "se ha indicado", "Hola, Ada Lovelace:", "Verifique su correo electrónico"],
    ["it", "è stato indicato", "Buongiorno Ada Lovelace,", "Verifichi il Suo indirizzo e-mail"],
    ["ja", "登録されました", "Ada Lovelace 様", "メールアドレスを確認してください"],
    ["ar", "أُضيف", "مرحبًا \u2068Ada Lovelace\u2069،", "تأكيد بريدك الإلكتروني"],
  ])("in %s has the code, a link with its own, and its end", async (language, given, ...said) => {
    userId = await importPerson(place, { preferredLanguage: language, mail: false });
    const sealedField = { stream: `user-${userId}`, field: "email.code" };
    const sealed = place.keyring.seal("AB2CD3", sealedField);
    const events = [
      { type: "user.human.email.changed", payload: { email: "lovelace@example.com" } },
      { type: "user.human.email.code.added", payload: { code: sealed } },
    ] as const;
    for (const event of events) await happen(place.execute, userId, event);
    const [{ to, text, html, subject }] = await composeAll(startMs);
    expect(to).toBe("lovelace@example.com");
    expect([text.split("\n")[0], subject]).toEqual(said);
    // A requested address is not in use before its proof.
    for (const part of [given, "Analytical Engines"]) expect(text).toContain(part);
    expect(text.split("AB2CD3")).toHaveLength(2);
    expect(text).toContain(endIn(language, 24));
    const [link = "", ...more] = text.match(/https?:\S+/g) ?? [];
    expect(more).toEqual([]);
    expect(link.startsWith(`${publicUrl}/ui/email/verify?`)).toBe(true);
    expect(Object.fromEntries(new URL(link).searchParams)).toEqual({
      ...{ userID: userId, orgID: organization },
      code: place.keyring.derive(sealed, sealedField),
    });
    expect(html).toContain(`href="${link.replaceAll("&", "&amp;")}"`);
  });
});

describe("the mail to create a passkey", () => {
  few(2).each([
    ["en", "Hello Ada Lovelace,", "Create a passkey"],
    ["de", "Guten Tag Ada Lovelace,", "Erstellen Sie einen Passkey"],
    ["fr", "Bonjour Ada Lovelace,", "Créez une clé d’accès"],
    ["es", "Hola, Ada Lovelace:", "Cree una clave de acceso"],
    ["it", "Buongiorno Ada Lovelace,", "Crei una passkey"],
    ["ja", "Ada Lovelace 様", "パスキーの作成"],
    ["ar", "مرحبًا \u2068Ada Lovelace\u2069،", "إنشاء مفتاح مرور"],
  ])("in %s has a link with its id and code, and its end", async (language, ...said) => {
    userId = await importPerson(place, { preferredLanguage: language, mail: false });
    const sealedField = { stream: `user-${userId}`, field: "passwordless.code" };
    const sealed = place.keyring.seal("a code that nobody guesses", sealedField);
    const payload = { codeId: "link-1", codeHash: "", code: sealed };
    await happen(place.execute, userId, { type: "user.human.passwordless.link.added", payload });
    const [{ text, html, subject }] = await composeAll(startMs);
    expect([text.split("\n")[0], subject]).toEqual(said);
    expect(text).toContain("Analytical Engines");
    expect(text).toContain(endIn(language, 1));
    const [link = "", ...more] = text.match(/https?:\S+/g) ?? [];
    expect(more).toEqual([]);
    expect(link.startsWith(`${publicUrl}/ui/passwordless/init?`)).toBe(true);
    expect(Object.fromEntries(new URL(link).searchParams)).toEqual({
      ...{ userID: userId, orgID: organization, codeID: "link-1" },
      code: "a code that nobody guesses",
    });
    expect(html).toContain(`href="${link.replaceAll("&", "&amp;")}"`);
  });
});

test("the SMS holds the code, and nothing that the person chose", async () => {
  const [, sms] = await messagesFor({ displayName: "Eve https://evil.example.com" });
  expect(sms).toMatchObject({
    ...{ id: "3-code", channel: "sms", to: phone },
    text: `Your code for iam.example.com is TE2TED. Do not share it with anyone.

@iam.example.com #TE2TED`,
  });
});

describe("the language", () => {
  few(3).each([
    ["", "en", "Hello Ada Lovelace,", "Set up your account"],
    ["en", "en", "Hello Ada Lovelace,", "Set up your account"],
    ["de", "de", "Guten Tag Ada Lovelace,", "Richten Sie Ihr Konto ein"],
    ["de-CH", "de", "Guten Tag Ada Lovelace,", "Richten Sie Ihr Konto ein"],
    ["fr", "fr", "Bonjour Ada Lovelace,", "Configurez votre compte"],
    ["FR-ca", "fr", "Bonjour Ada Lovelace,", "Configurez votre compte"],
    ["es", "es", "Hola, Ada Lovelace:", "Configure su cuenta"],
    ["it", "it", "Buongiorno Ada Lovelace,", "Configuri il Suo account"],
    ["ja-JP", "ja", "Ada Lovelace 様", "アカウントを設定してください"],
    ["ar", "ar", "مرحبًا \u2068Ada Lovelace\u2069،", "إعداد حسابك"],
    ["pt-BR", "en", "Hello Ada Lovelace,", "Set up your account"],
    ["den", "en", "Hello Ada Lovelace,", "Set up your account"],
  ])("preferred as %j is %s", async (preferredLanguage, language, greeting, subject) => {
    const [mail, sms] = await messagesFor({ preferredLanguage });
    expect([mail.language, sms.language]).toEqual([language, language]);
    expect(mail.text.split("\n")[0]).toBe(greeting);
    expect(mail.subject).toBe(subject);
    for (const { text } of [mail, sms]) expect(text).not.toMatch(/undefined|\[object|\$\{/);
    expect(mail.text).toContain("2023");
    expect(mail.text).toContain(codes.initialization);
    expect(mail.text).toContain(`${publicUrl}/ui/initialize?userID=${userId}`);
    expect(sms.text).toContain(codes.phone);
  });

  test("is one of those that there are, and each has texts of its own", async () => {
    const texts = [];
    for (const preferredLanguage of languages) {
      const [mail, sms] = await messagesFor({ preferredLanguage });
      texts.push(mail.subject, sms.subject, sms.text);
      // Two SMS take 134 characters, whatever the alphabet.
      expect([...sms.text].length).toBeLessThanOrEqual(134);
      // WebOTP: a line of its own at the end, with the host and the code.
      expect(sms.text.split("\n").slice(1)).toEqual(["", `@iam.example.com #${codes.phone}`]);
    }
    expect(new Set(texts).size).toBe(3 * languages.length);
  });
});

test("a message is the same in every attempt, and has another digest in every log", async () => {
  const [mail, sms] = await messagesFor({});
  expect(await composeAll(startMs + 1_000)).toEqual([mail, sms]);
  await place.remove();
  place = await notifyPlace();
  const [other] = await messagesFor({});
  expect(other.id).toBe(mail.id);
  expect(new Set([mail.digest, sms.digest, other.digest]).size).toBe(3);
  expect(mail.digest).toMatch(/^[0-9a-f]{32}$/);
});
