import { createHash, webcrypto } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { jsonFailure } from "../harness/clients.ts";
import { endProcesses } from "../harness/process.ts";
import type { Call } from "../notify/receiver.ts";
import { decodeWords } from "../notify/smtp.ts";
import { given, type Life, liveChain, publicUrl, sender, smsKey } from "./chain-life.ts";

// The service as somebody has it who runs it and calls it: nothing in here knows its parts.

let life: Life;
let userId: string;
let idpId: string;
let organization: string;
/** Whose token the caller came with. */
let admin: string;

beforeAll(async () => {
  life = await liveChain();
  userId = life.person.body.userId!;
  idpId = life.provider.body.idpId!;
  const [first] = life.events.filter(({ type }) => type === "user.token.added");
  admin = first!.stream.replace("user-", "");
  organization = first!.owner;
});
afterAll(endProcesses);

const codeForm = "[A-HJKMNP-Z2-9]{6}";
const lifetimeMs = 3 * 24 * 60 * 60 * 1_000;

describe("a call is answered", () => {
  /** Each with the last event of its command, which may not be the last of its stream. */
  const answers: readonly [
    name: "provider" | "person" | "rightCode",
    type: string,
    alsoDated: readonly string[],
  ][] = [
    ["provider", "idp.oidc.config.added", ["creationDate"]],
    ["person", "user.human.passwordless.initialization.code.added", ["creationDate"]],
    ["rightCode", "user.human.phone.verified", []],
  ];

  test.each(answers)("about the %s with the position of %s", (name, type, alsoDated) => {
    const { position, time, owner } = eventOf(type);
    // Protobuf's JSON leaves out a fraction of zero.
    const date = new Date(time).toISOString().replace(".000Z", "Z");
    const { status, body } = life[name];
    expect(status).toBe(200);
    expect(body.details).toEqual({
      sequence: String(position),
      changeDate: date,
      resourceOwner: owner,
      ...Object.fromEntries(alsoDated.map((field) => [field, date])),
    });
  });

  test("with the link to register a passkey, where people reach the service", () => {
    const { link, ...rest } = life.person.body.passwordlessRegistration!;
    const added = payloadOf("user.human.passwordless.initialization.code.added");
    const { code, ...query } = readLink(link, `${publicUrl}/ui/passwordless/init`);
    expect(query).toEqual({ userID: userId, orgID: organization, codeID: added.codeId });
    expect(added.codeHash).toBe(createHash("sha256").update(code!).digest("hex"));
    expect(rest).toEqual({ lifetime: "3600s", expiration: "3600s" });
  });

  test.each(["wrongCode", "usedCode"] as const)("with a refusal: %s", (name) => {
    const { status, body } = life[name];
    expect(jsonFailure(body, status)).toMatchObject({
      code: 3,
      httpStatus: 400,
      reason: "CODE_INVALID",
    });
  });
});

test("the person gets one mail, in German, with a link to where people reach the service", () => {
  expect(life.mails).toHaveLength(1);
  const { from, to, header, text } = life.mails[0]!;
  expect({ from, to }).toEqual({ from: sender, to: [given.email] });
  expect(header.get("to")).toBe(given.email);
  expect(decodeWords(header.get("subject")!)).toBe("Richten Sie Ihr Konto ein");
  const [, link, , until] = new RegExp(`^Guten Tag Ada Lovelace,

für Sie wurde bei Default ein Konto angelegt\\.
Öffnen Sie diesen Link, um es einzurichten:

(\\S+)

Ihr Code lautet (${codeForm})\\. Link und Code gelten bis (.+) UTC\\.

Wenn Sie diese E-Mail nicht erwartet haben, brauchen Sie nichts zu tun\\.

Sie erhalten diese E-Mail, weil Ihre Adresse für ein Konto bei Default angegeben wurde\\.
$`).exec(text)!;
  const code = expect.stringMatching(/^[0-9a-f]{32}$/);
  const query = { userID: userId, orgID: organization, code };
  expect(readLink(link!, `${publicUrl}/ui/initialize`)).toEqual(query);
  const { time } = eventOf("user.human.initialization.code.added");
  const form = { dateStyle: "long", timeStyle: "short", timeZone: "UTC" } as const;
  expect(until).toBe(new Date(time + lifetimeMs).toLocaleString("de", form));
});

describe("the person gets one SMS", () => {
  test("in German, with the code", () => {
    expect(life.texts).toHaveLength(1);
    const { method, path, headers, body } = life.texts[0]!;
    expect({ method, path }).toEqual({ method: "POST", path: "/sms" });
    expect(headers).toMatchObject({ "content-type": "application/json" });
    const host = new URL(publicUrl).hostname;
    const { position } = eventOf("user.human.phone.code.added");
    expect(JSON.parse(body)).toEqual({
      to: "+41446681800",
      text: `Ihr Code für ${host} lautet ${life.phoneCode}. Geben Sie ihn an niemanden weiter.

@${host} #${life.phoneCode}`,
      messageId: expect.stringMatching(new RegExp(`^${position}-code\\.[\\da-f]{32}$`)),
    });
    expect(life.phoneCode).toMatch(new RegExp(`^${codeForm}$`));
  });

  test("signed with the key that the operator has set, and with no other", async () => {
    const [sms] = life.texts as [Call];
    expect(await isGenuine(sms, smsKey)).toBe(true);
    expect(await isGenuine(sms, `${smsKey}!`)).toBe(false);
    expect(await isGenuine({ ...sms, body: `${sms.body} ` }, smsKey)).toBe(false);
    const headers = { ...sms.headers, "x-iam-timestamp": "1700000000" };
    expect(await isGenuine({ ...sms, headers }, smsKey)).toBe(false);
  });

  test("with the time at which it was sent", () => {
    const timestamp = life.texts[0]!.headers["x-iam-timestamp"];
    expect(timestamp).toMatch(/^\d+$/);
    const askedSeconds = Math.floor(eventOf("user.human.phone.code.added").time / 1_000);
    expect(Number(timestamp)).toBeGreaterThanOrEqual(askedSeconds);
    expect(Number(timestamp)).toBeLessThanOrEqual(life.textedSeconds);
  });
});

describe("the log holds", () => {
  test("the provider", () => {
    expect(factsOf(`idp-${idpId}`)).toEqual([
      ["idp.config.added", organization, admin],
      ["idp.oidc.config.added", organization, admin],
    ]);
  });

  test("what the caller did to the person, in order, and nothing of the used code", () => {
    const facts = factsOf(`user-${userId}`);
    expect(facts.filter(([type]) => !type!.endsWith(".sent"))).toEqual(
      [
        "user.human.added",
        "user.human.initialization.code.added",
        "user.human.phone.code.added",
        "user.human.externalidp.added",
        "user.human.passwordless.initialization.code.added",
        "user.human.phone.verification.failed",
        "user.human.phone.verified",
      ].map((type) => [type, organization, admin]),
    );
  });

  // A message is on its way while the person reads it already, so that it was sent may stand after
  // what the person did with it, and before or after the other message. It stands there once.
  test.each([
    ["user.human.initialization.code.sent", "user.human.initialization.code.added"],
    ["user.human.phone.code.sent", "user.human.phone.code.added"],
  ])("%s once, about the code and after the whole import", (type, about) => {
    const sent = eventOf(type);
    expect(sent).toMatchObject({ stream: `user-${userId}`, owner: organization, actor: "notify" });
    // The life of a code that is mailed begins when the mail leaves.
    const expirationMs = type.includes("initialization") && { expirationMs: expect.any(Number) };
    const position = String(eventOf(about).position);
    expect(payloadOf(type)).toEqual({ position, ...expirationMs });
    const imported = Number(life.person.body.details!.sequence);
    expect(sent.position).toBeGreaterThan(imported);
  });

  test("last that the mail was sent, which was on its way when the service was to stop", () => {
    expect(factsOf(`user-${userId}`).at(-1)).toEqual([
      "user.human.initialization.code.sent",
      organization,
      "notify",
    ]);
  });

  test("no more of the person, whose versions have no gap", () => {
    const versions = life.events
      .filter(({ stream }) => stream === `user-${userId}`)
      .map(({ version }) => version);
    expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("what was given of the person and the link to the provider", () => {
    const { email, phone, preferredLanguage } = payloadOf("user.human.added");
    expect({ email, phone, preferredLanguage }).toEqual({
      email: given.email,
      phone: "+41446681800",
      preferredLanguage: "de",
    });
    expect(payloadOf("user.human.externalidp.added")).toEqual({
      idpId,
      externalUserId: "42",
      displayName: "ada@partner",
    });
  });
});

describe("is nowhere in the clear, neither in the log nor in what the process wrote:", () => {
  const code = (link: string) => new URL(link).searchParams.get("code")!;
  const secrets: readonly [name: string, read: () => string][] = [
    ["the client secret of the provider", () => given.clientSecret],
    ["the code of the mail", () => code(/https:\S+/.exec(life.mails[0]!.text)![0])],
    ["the code of the SMS", () => life.phoneCode],
    ["the code of the link", () => code(life.person.body.passwordlessRegistration!.link)],
    ["the token", () => life.token],
    ["the key of the webhook", () => smsKey],
  ];

  test.each(secrets)("%s", (_, read) => {
    const secret = read();
    const bytes = Buffer.from(secret);
    const base64 = bytes.toString("base64").replace(/=+$/, "");
    const forms = [secret, base64, bytes.toString("hex")];
    expect(secret).toMatch(/^.{6,}$/);
    const log = JSON.stringify(life.events);
    // So that it is known that something would be found.
    expect(log).toContain(given.email);
    expect(life.wrote).toContain('"msg":"a message was sent"');
    expect(forms.filter((form) => (log + life.wrote).includes(form))).toEqual([]);
  });
});

test("the service stops when it is told to", () => {
  expect(life.ended).toEqual({ code: 0, signal: null });
  expect(life.wrote).toContain('"msg":"stopped"');
});

/** The only event of a type. */
function eventOf(type: string) {
  const events = life.events.filter((event) => event.type === type);
  expect(events).toHaveLength(1);
  return events[0]!;
}

function payloadOf(type: string): { readonly [field: string]: unknown } {
  return JSON.parse(eventOf(type).payload) as { readonly [field: string]: unknown };
}

/** What happened in a stream, to whose, by whom. */
function factsOf(stream: string): readonly (readonly string[])[] {
  return life.events
    .filter((event) => event.stream === stream)
    .map(({ type, owner, actor }) => [type, owner, actor]);
}

/** The query of a link that leads where it should. */
function readLink(link: string, place: string): { readonly [name: string]: string } {
  const [before, query] = link.split("?");
  expect(before).toBe(place);
  return Object.fromEntries(new URLSearchParams(query));
}

/** What a webhook does to know who called, with another library than the service has. */
async function isGenuine({ headers, body }: Call, key: string): Promise<boolean> {
  const [, hex = ""] = /^sha256=([0-9a-f]{64})$/.exec(String(headers["x-iam-signature"])) ?? [];
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const bytes = Buffer.from(key);
  const verifying = await webcrypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
  const signed = Buffer.from(`${headers["x-iam-timestamp"]}.${body}`);
  return webcrypto.subtle.verify("HMAC", verifying, Buffer.from(hex, "hex"), signed);
}
