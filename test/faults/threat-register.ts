import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

const [taking, notify] = ["domain/registration/register.ts", "notify/registration.ts"] as const;

/** Those of people who register; see `threat.ts`. */
export const registerThreatFaults: { readonly [row: string]: readonly Fault[] } = {
  "an account begun by somebody else": [
    [
      "ways in that an importer made stay",
      at(taking, `      { type: "user.credentials.voided", payload: { voided } },\n`, ""),
    ],
    ["an app that an importer made stays", at(taking, "      ...app,\n", "")],
    [
      "an address that an importer made stays so",
      at(taking, `      { type: "user.human.email.changed", payload: { email } },\n`, ""),
    ],
    [
      "an account with roles taken over",
      at(taking, " || user.memberships.length > 0) return false", ") return false"),
    ],
    [
      "a name that is the address of another",
      at(
        "provider/login/register-way.ts",
        `claimed.includes("@") && claimed`,
        `claimed === "" && claimed`,
      ),
    ],
    [
      "a name that is the address of another in wide letters",
      at("provider/login/register-way.ts", `claimed.includes("@")`, `userName.includes("@")`),
    ],
    [
      "an address in wide letters that counts as the one of another",
      at("domain/registration/domains.ts", `=== email.normalize("NFC")`, `!== ""`),
    ],
    [
      "an account taken over from a host that counts as the same",
      at(taking, " && hostOf(one) === hostOf(other)", ""),
    ],
    [
      "an account whose address was proven meanwhile made twice",
      at(
        "provider/login/register-way.ts",
        `if (registered.kind === "held") return undefined;`,
        `if (registered.kind === "held") return { kind: "nobody" as const, ...pending, codeId: "c" };`,
      ),
    ],
  ],
  "registration reveals who has an account": [
    [
      "a code sent to who has an account",
      at(notify, `registered.kind !== "held"`, "(registered.kind as string) !== ''"),
    ],
    [
      "a page that looks who has the address",
      at(
        "provider/login/register.ts",
        "  const id = site.newId();\n",
        "  const id = site.newId();\n" +
          `  await site.store.list({ kind: "user", offset: 0, limit: 1 });\n`,
      ),
    ],
  ],
  "mails to whom somebody chooses": [
    [
      "mails to one mailbox not counted",
      at(
        "provider/base/tries.ts",
        `    counting(site, "mailboxes", mailboxOf(email), mailsOfMailbox),\n`,
        "",
      ),
    ],
    [
      "each way to write an address a mailbox",
      at("provider/base/tries.ts", "mailboxOf(email), mailsOfMailbox", "email, mailsOfMailbox"),
    ],
    [
      "mails of all together not counted",
      at(
        "domain/sending.ts",
        "return [{ ...instance, most, perMs: dayMs, isPatient: false }];",
        "return most === 0 ? [{ ...instance, most, perMs: dayMs, isPatient: false }] : [];",
      ),
    ],
    [
      "addresses that ask not counted",
      at(
        "provider/base/tries.ts",
        `counting(site, "registrations", bucketAt(address), most)`,
        `counting(site, "registrations", bucketAt(address), most + 1)`,
      ),
    ],
  ],
};
