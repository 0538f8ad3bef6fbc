import type { Frame, Page } from "../../src/pages/html/page.ts";
import {
  registerCodePage,
  registerNoticePage,
  registerPage,
} from "../../src/pages/html/register.ts";
import { registerPasskeyPage, registerWayPage } from "../../src/pages/html/register-way.ts";

/** The pages of somebody who registers. */
export function registerPages(
  given: string,
): readonly (readonly [string, (frame: Frame) => Page])[] {
  const target = { uid: given, application: given, organization: given };
  const fields = { firstName: given, lastName: given, email: given };
  const rule = { nameCharactersMax: 200, emailCharactersMax: 254, domains: [] };
  const only = { ...rule, domains: [given] };
  const ways = {
    ...{ userName: given, asksUserName: false, allowPassword: true, allowPasskeys: true },
    ...{ passwordCharactersMin: 8, passwordCharactersMax: 256, nameCharactersMax: 200 },
  };
  const asking = { ...ways, asksUserName: true };
  const byPasskey = { ...ways, allowPassword: false };
  const wrongFields = { firstName: "invalid", lastName: "invalid", email: "invalid" } as const;
  const asked = { options: given, userName: given };
  return [
    ["registration", registerPage(target, fields, { rule })],
    ["registration for a domain", registerPage(target, fields, { rule: only })],
    ["wrong registration", registerPage(target, fields, { rule, wrong: wrongFields })],
    [
      "wrong domain of a registration",
      registerPage(target, fields, { rule: only, wrong: { mail: "domain" } }),
    ],
    [
      "wrong number of mails to register",
      registerPage(target, fields, { rule, wrong: { mail: "tooMany" } }),
    ],
    ["code to register", registerCodePage(target, { email: given, isWrong: false })],
    ["wrong code to register", registerCodePage(target, { email: given, isWrong: true })],
    ["way to log in", registerWayPage(target, ways, {})],
    ["way to log in by a passkey", registerWayPage(target, byPasskey, {})],
    ["wrong password to register", registerWayPage(target, ways, { password: "common" })],
    ["wrong user name that is taken", registerWayPage(target, asking, { userName: "taken" })],
    ["wrong user name of another", registerWayPage(target, asking, { userName: "address" })],
    ["wrong user name", registerWayPage(target, asking, { userName: "invalid" })],
    ["passkey to register", registerPasskeyPage(target, { ...asked, isWrong: false })],
    ["wrong passkey to register", registerPasskeyPage(target, { ...asked, isWrong: true })],
    ["problem of an account that is there", registerNoticePage(target, "held")],
    ["problem of a code that is over", registerNoticePage(target, "over")],
  ];
}
