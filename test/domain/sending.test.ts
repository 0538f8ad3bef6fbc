import { describe, expect, test } from "@jest/globals";
import { quotasOf, refuseSending, sendLimits } from "../../src/domain/sending.ts";

const dayMs = 86_400_000;
const limits = {
  smsPerNumber: 1,
  smsPerOrganization: 2,
  mailsPerAddress: 3,
  mailsPerOrganization: 4,
  registrationMails: 5,
};
const mailTo = (to: string) => ({ field: "code", channel: "email", to }) as const;
const smsTo = (to: string) => ({ field: "code", channel: "sms", to }) as const;

describe("a message counts", () => {
  test("as an SMS to the number, no matter who sends it, and of the organization", () => {
    const quotas = quotasOf(smsTo("+41446681800"), "org-1", limits);
    const day = { scope: "", perMs: dayMs, isPatient: false };
    expect(quotas).toEqual([
      { kind: "sms.number", value: "+41446681800", most: 1, ...day },
      { kind: "sms.organization", value: "org-1", most: 2, ...day },
    ]);
  });

  test.each([
    ["+5491123456789", "+541123456789"],
    ["+541123456789", "+541123456789"],
    ["+5215512345678", "+525512345678"],
    ["+525512345678", "+525512345678"],
    // One digit less or more, and other countries, have none too many.
    ["+549112345678", "+549112345678"],
    ["+54911234567890", "+54911234567890"],
    ["+52155123456", "+52155123456"],
    ["+5591123456789", "+5591123456789"],
    ["+4915123456789", "+4915123456789"],
  ])("as an SMS to %s as one to %s", (number, value) => {
    expect(quotasOf(smsTo(number), "org-1", limits)[0]).toMatchObject({ value });
  });

  test("as a mail of the organization, and of it to the address", () => {
    const quotas = quotasOf(mailTo("ada@example.com"), "org-1", limits);
    const day = { perMs: dayMs, isPatient: true };
    expect(quotas).toEqual([
      { kind: "email.organization", scope: "", value: "org-1", most: 4, ...day },
      { kind: "email.address", scope: "org-1", value: "ada@example.com", most: 3, ...day },
    ]);
  });

  test("as one about a forgotten password by itself, and does not wait", () => {
    const mail = { ...mailTo("Ada+1@example.com"), isReset: true };
    const day = { perMs: dayMs, isPatient: false };
    expect(quotasOf(mail, "org-1", limits)).toEqual([
      { kind: "reset.organization", scope: "", value: "org-1", most: 4, ...day },
      { kind: "reset.address", scope: "org-1", value: "ada@example.com", most: 3, ...day },
    ]);
  });

  test("to somebody who registers as one of all such mails, and does not wait", () => {
    const mail = { field: "mail", channel: "registration", to: "" } as const;
    const ofAll = { kind: "registration.instance", scope: "", value: "", most: 5 };
    const quotas = [{ ...ofAll, perMs: dayMs, isPatient: false }];
    expect(quotasOf(mail, "org-1", limits)).toEqual(quotas);
  });

  test.each([
    ["Ada@EXAMPLE.com", "ada@example.com"],
    ["ada+1@example.com", "ada@example.com"],
    ["ada+1+2@example.com", "ada@example.com"],
    ["ada@Bücher.example", "ada@xn--bcher-kva.example"],
    ["ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"],
    ["ada@bu\u0308cher.example", "ada@xn--bcher-kva.example"],
    ['"a@b"@example.com', '"a@b"@example.com'],
    ["no address", "no address"],
    ["+ada@example.com", "+ada@example.com"],
    ["a.da@example.com", "a.da@example.com"],
  ])("to %s as one to %s", (address, value) => {
    expect(quotasOf(mailTo(address), "org-1", limits)[1]).toMatchObject({ value });
  });
});

describe("the refusal to send", () => {
  const [number, organization] = quotasOf(smsTo("+41446681800"), "org-1", sendLimits);

  test.each([
    [1, "1 s"],
    [59_000, "59 s"],
    [59_001, "1 min"],
    [60_001, "2 min"],
    [3_600_000, "1 h"],
    [3_600_001, "1 h 1 min"],
    [dayMs, "24 h"],
  ])("says after %d ms that it is %s", (retryMs, time) => {
    expect(refuseSending(number!, retryMs)).toEqual({
      reason: "TOO_MANY_SMS",
      message: `The daily SMS limit of the number is used up: ask again in ${time}.`,
      retryMs,
    });
  });

  test.each(["organization", "address"])(
    "names mails for forgotten passwords of the %s",
    (whose) => {
      const mail = { ...mailTo("ada@example.com"), isReset: true };
      const spent = quotasOf(mail, "org-1", sendLimits).find(({ kind }) => kind.endsWith(whose));
      const limit = "daily limit of mails for forgotten passwords";
      expect(refuseSending(spent!, 1_000)).toEqual({
        reason: "TOO_MANY_MAILS",
        message: `The ${limit} of the ${whose} is used up: ask again in 1 s.`,
        retryMs: 1_000,
      });
    },
  );

  test("names the organization where that is it", () => {
    expect(refuseSending(organization!, 1).message).toContain(
      "The daily SMS limit of the organization",
    );
  });
});
