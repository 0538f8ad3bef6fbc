import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

const file = "domain/user/state/notice.ts";

/** Mistakes of telling people what changed of their accounts. */
export const noticeFaults: readonly Fault[] = [
  [
    "notice to an address that nobody has verified",
    at(file, "(human.isEmailVerified ? human.email : undefined)", "human.email"),
  ],
  [
    "notice to who has yet to take the account over",
    at(file, "human === undefined || human.initialization !== undefined", "human === undefined"),
  ],
  ["notice to the address of now alone", at(file, "return to ?? (", "return (")],
  [
    "notice a moment after its time",
    at(file, "addedMs + noticeLifetimeMs", "addedMs + noticeLifetimeMs + 1"),
  ],
  ["notice of an erasure after it", at(file, ", dueMs) };", ", dueMs + 1) };")],
  [
    "time of a notice from when it is sent",
    at(
      "domain/user/credential/delivery.ts",
      "notice, { addedMs }) => findReader(human, notice, addedMs)",
      "notice, { nowMs }) => findReader(human, notice, nowMs)",
    ),
  ],
  [
    "notice that stays when it was sent",
    at("domain/user/state/user.ts", "? noticeField : codeField", "? codeField : codeField"),
  ],
  [
    "quota of the address of now for a notice to another",
    at(
      "domain/user/state/user.ts",
      "const { to = mustExist(human).email } = event.payload;",
      "const to = mustExist(human).email;",
    ),
  ],
  [
    "another password by a link without a notice",
    at(
      "domain/user/login/reset.ts",
      '      ...noticeOf(user, { about: "password.changed" }),\n',
      "",
    ),
  ],
  [
    "another password at a login without a notice",
    at(
      "domain/user/login/password.ts",
      '      ...noticeOf(user, { about: "password.changed" }),\n',
      "",
    ),
  ],
  [
    "new address told of itself",
    at("domain/user/human/change-email.ts", "[human.email] : [];", "[email] : [];"),
  ],
  [
    "same number told of",
    at(
      "domain/user/human/phone.ts",
      "const told = isSame ? [] : noticeOf",
      "const told = noticeOf",
    ),
  ],
  [
    "notice of a log that was put back taken for another",
    at(
      "notify/message/compose.ts",
      "String(position), payload, timeMs]",
      "String(position), payload]",
    ),
  ],
  [
    "told of an erasure that was taken back",
    at("domain/user/credential/delivery.ts", "payload.dueMs !== user?.erasure?.dueMs", "false"),
  ],
];
