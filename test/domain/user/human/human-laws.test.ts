import { describe, expect } from "@jest/globals";
import type { IDPState } from "../../../../src/domain/idp.ts";
import {
  addPasskey,
  initialize,
  verifyOwnPhone,
} from "../../../../src/domain/user/credential/account.ts";
import { sendPasskeyLink } from "../../../../src/domain/user/credential/invitation.ts";
import { addToken } from "../../../../src/domain/user/credential/token.ts";
import { importHuman, linkViolations, nameHuman } from "../../../../src/domain/user/human/human.ts";
import {
  removePhone,
  resendPhoneCode,
  setPhone,
  type Verification,
  verifyPhone,
} from "../../../../src/domain/user/human/phone.ts";
import type { UserDecision } from "../../../../src/domain/user/state/acting.ts";
import type { UserEvent } from "../../../../src/domain/user/state/event.ts";
import { type UserState, user } from "../../../../src/domain/user/state/user.ts";
import { fc } from "../../../harness/laws.ts";
import { holdLaws, type LifeCommand, text } from "../../laws.ts";
import { home, manager, orgOwner, owner, userWith } from "../users.ts";

type Command = LifeCommand<UserState, UserEvent>;

const permission = "user.write";

/** What counts a try that was compared with a code. */
const misses: readonly string[] = [
  "user.human.phone.verification.failed",
  "user.human.initialization.failed",
  "user.human.passwordless.initialization.failed",
];

/** A try that is compared is the one refusal that leaves an event, and only one. */
function of({ events, rejection }: UserDecision): ReturnType<Command> {
  const { user: written = [] } = events;
  if (rejection === undefined || written.length === 0) {
    return { events: written, ...(rejection ? { rejection } : {}) };
  }
  expect(rejection.reason).toBe("CODE_INVALID");
  expect(written).toHaveLength(1);
  expect(misses).toContain(written[0]?.type);
  return { events: written };
}

const provider: IDPState = {
  name: "Everywhere",
  serves: "INSTANCE",
  stylingType: "UNSPECIFIED",
  autoRegister: false,
  template: "OIDC",
  organization: home,
};
const callers = fc.constantFrom(undefined, userWith(), owner, orgOwner, manager);
const times = fc.integer({ min: 0, max: 10_000_000 });
const phones = fc.constantFrom("+41446681800", "+16502530000");
const codes = fc.constantFrom("sealed A", "sealed B");
const ids = fc.constantFrom("__proto__", "constructor", "1", "a");
const verifications = fc.constantFrom<Verification>("SEND_CODE", "RETURN_CODE", "IS_VERIFIED");
const acting = { caller: callers, isSelf: fc.boolean(), nowMs: times, code: codes };

const begin = fc
  .record({
    names: fc.tuple(text(200), text(200), text(200), text(200, 0), text(200, 0)),
    email: fc.oneof(fc.constant("ada@example.com"), fc.emailAddress(), text(254)),
    phone: fc.option(phones, { nil: undefined }),
    passwordHash: fc.option(text(512), { nil: undefined }),
    flags: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
    otpSecret: fc.option(codes, { nil: undefined }),
    links: fc.array(
      fc.record(
        { idpId: ids, externalUserId: ids, displayName: text(200, 0) },
        { noNullPrototype: true },
      ),
      { maxLength: 5 },
    ),
    link: fc.boolean(),
    nowMs: times,
  })
  .map<Command>((given) => (state) => {
    if (state !== undefined) return { events: [] };
    const { names, email, phone, passwordHash, flags, otpSecret, links, link, nowMs } = given;
    const [userName, firstName, lastName, nickName, displayName] = names;
    // The rules of fields come before any decision.
    if (linkViolations("idps", links).length > 0) return { events: [] };
    const added = {
      ...{ ...nameHuman(userName), firstName, lastName, nickName, displayName, email },
      preferredLanguage: "",
      gender: "DIVERSE",
      passwordChangeRequired: flags[2],
      ...(phone === undefined ? {} : { phone }),
    } as const;
    const idps = Object.fromEntries(links.map(({ idpId }) => [`idp-${idpId}`, provider]));
    const human = {
      ...{ organization: home, isEmailVerified: flags[0], isPhoneVerified: flags[1] },
      ...(passwordHash === undefined ? {} : { passwordHash }),
      initializationCode: "sealed I",
      phoneCode: "sealed A",
      ...(otpSecret === undefined ? {} : { otpSecret }),
      ...(link ? { passwordless: { codeId: "c", codeHash: "h" } } : {}),
    };
    return of(importHuman(idps, { added, externalIDPs: links, ...human }, nowMs));
  });
const set = fc.record({ ...acting, phone: phones, verification: verifications }).map<Command>(
  ({ caller, nowMs, ...input }) =>
    (state) =>
      of(setPhone({ user: state, caller }, { ...input, permission }, nowMs)),
);
const resend = fc.record({ ...acting, verification: verifications }).map<Command>(
  ({ caller, nowMs, ...input }) =>
    (state) =>
      of(resendPhoneCode({ user: state, caller }, { ...input, permission }, nowMs)),
);
const verify = fc.record(acting).map<Command>(({ caller, nowMs, isSelf, code }) => (state) => {
  const opens = (sealed: string) => sealed === code;
  return of(verifyPhone({ user: state, caller }, { isSelf, opens, permission }, nowMs));
});
const remove = fc.record(acting).map<Command>(
  ({ caller, isSelf }) =>
    (state) =>
      of(removePhone({ user: state, caller }, { isSelf, permission })),
);
const shown = { nowMs: times, stored: fc.constantFrom("sealed I", "sealed A", "h", "i") };
const opening = (stored: string) => ({ opens: (sealed: string) => sealed === stored });
const initializing = fc
  .record({ ...shown, passwordHash: fc.option(text(512), { nil: undefined }) })
  .map<Command>(({ nowMs, stored, passwordHash }) => (state) => {
    const chosen = passwordHash === undefined ? {} : { passwordHash };
    return of(initialize(state, { ...opening(stored), ...chosen }, nowMs));
  });
const ownPhone = fc.record(shown).map<Command>(
  ({ nowMs, stored }) =>
    (state) =>
      of(verifyOwnPhone(state, opening(stored), nowMs)),
);
const passkey = fc
  .record({ ...shown, codeId: ids, credentialId: ids, name: text(200, 0) })
  .map<Command>(({ nowMs, stored, codeId, credentialId, name }) => (state) => {
    const made = { credentialId, publicKey: "cose", counter: 0, transports: [], name };
    return of(addPasskey(state, { codeId, ...opening(stored), passkey: made }, nowMs));
  });
/** One more link, as nothing gives them to a person who is there already. */
const link = fc.record({ codeId: ids, expirationMs: times }).map<Command>((made) => (state) => {
  const isPossible = state?.human?.passwordless.every(({ codeId }) => codeId !== made.codeId);
  const type = "user.human.passwordless.initialization.code.added";
  return { events: isPossible ? [{ type, payload: { ...made, codeHash: "i" } }] : [] };
});
const mailedLink = fc
  .record({ caller: callers, codeId: ids, nowMs: times })
  .map<Command>(({ caller, codeId, nowMs }) => (state) => {
    if (state?.human?.passwordless.some((made) => made.codeId === codeId)) return { events: [] };
    const made = { organization: home, codeId, codeHash: "i", code: "sealed L" };
    return of(sendPasskeyLink({ user: state, caller }, made, nowMs));
  });
let tokens = 0;
const token = fc.record(acting).map<Command>(({ caller, nowMs }) => (state) => {
  // Ids and hashes are of fresh values: none comes twice.
  tokens += 1;
  const fresh = { tokenId: `${tokens}`, tokenHash: `hash ${tokens}` };
  return of(addToken({ user: state, caller }, { organization: home, ...fresh }, nowMs));
});

describe("laws", () => {
  const account = fc.oneof(initializing, ownPhone, passkey, passkey, link, mailedLink);
  const after = fc.oneof(set, resend, verify, verify, remove, token, account, account, account);
  holdLaws(user, fc.oneof({ weight: 2, arbitrary: begin }, { weight: 4, arbitrary: after }));
});
