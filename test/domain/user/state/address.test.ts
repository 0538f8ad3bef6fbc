import { describe, expect, test } from "@jest/globals";
import { initialize } from "../../../../src/domain/user/credential/account.ts";
import { resendInitialization } from "../../../../src/domain/user/credential/invitation.ts";
import { addToken } from "../../../../src/domain/user/credential/token.ts";
import { importHuman, nameHuman } from "../../../../src/domain/user/human/human.ts";
import { beginSession } from "../../../../src/domain/user/login/login.ts";
import { changeOwnPassword } from "../../../../src/domain/user/login/password.ts";
import { askForReset, resetPassword } from "../../../../src/domain/user/login/reset.ts";
import { grantMembership } from "../../../../src/domain/user/membership.ts";
import { isCodeAnsweredBy, makerName } from "../../../../src/domain/user/raise.ts";
import { credentialsOf } from "../../../../src/domain/user/state/credential.ts";
import type { UserEvent } from "../../../../src/domain/user/state/event.ts";
import type { HumanAdded } from "../../../../src/domain/user/state/human-state.ts";
import type { Made } from "../../../../src/domain/user/state/made.ts";
import { sessionsOf } from "../../../../src/domain/user/state/session.ts";
import { type UserState, user } from "../../../../src/domain/user/state/user.ts";
import { runs } from "../../../harness/extent.ts";
import { fc } from "../../../harness/laws.ts";
import { held, home, inHome, manager, now, orgOwner, owner } from "../users.ts";

/** What of a person was made by whom, in the end: by mails, and what comes of them. */

/** Who may have made something, besides the person. */
const others: { readonly [id: string]: UserState } = { manager, orgOwner, owner };
const makers = Object.fromEntries(Object.entries(others).map(([id, one]) => [makerName(id), one]));
const opens = () => true;
const userId = "ada";
const profile: Omit<HumanAdded, "userName" | "email"> = {
  ...{ firstName: "Ada", lastName: "Lovelace", nickName: "", displayName: "Ada Lovelace" },
  ...{ preferredLanguage: "", gender: "UNSPECIFIED", passwordChangeRequired: false },
};

/** A person whose events follow from decisions of somebody each. */
function life() {
  let state: UserState | undefined;
  const place = { organization: home };
  const as = (actor: string, events: readonly UserEvent[] = []) => {
    for (const event of events) {
      state = user.evolve(state, { ...event, owner: home, actor, timeMs: now });
    }
    return events;
  };
  return {
    state: () => state,
    imported: (by: string, isEmailVerified: boolean, passwordHash?: string) => {
      const added = { ...nameHuman("ada"), ...profile, email: `${by}@example.com` };
      const given = { organization: home, isEmailVerified, isPhoneVerified: false };
      const code = { initializationCode: "sealed" };
      const hash = passwordHash === undefined ? {} : { passwordHash };
      const human = { added, externalIDPs: [], ...given, ...code, ...hash };
      return as(by, importHuman({}, human, now).events.user);
    },
    resent: (by: string, email = "") => {
      const acting = { user: state, caller: others[by] };
      return as(by, resendInitialization(acting, { ...place, email, code: "sealed" }).events.user);
    },
    initialized: (passwordHash = "initial") =>
      as(userId, initialize(state, { opens, passwordHash }, now).events.user),
    forgotten: () => {
      as(userId, askForReset(state, "sealed", now).events.user);
      const shown = { opens, userId, passwordHash: "forgotten" };
      return as(userId, resetPassword(state, shown, now).events.user);
    },
    changed: () => {
      const from = state?.human?.passwordHash ?? "";
      return as(userId, changeOwnPassword(state, { from, to: "changed" }).events.user);
    },
    loggedIn: () => {
      const session = { userId, sessionId: "s", clientId: "c", browser: "b" };
      const factors = ["password"] as const;
      return as(userId, beginSession(state, { ...session, factors }, now).events.user);
    },
    token: (by: string) => {
      const made = { ...place, tokenId: "t", tokenHash: by };
      return as(by, addToken({ user: state, caller: others[by] }, made, now).events.user);
    },
    raised: (by: string, isCodeAnswered = false) => {
      const states = { user: state, caller: others[by], ...makers };
      const given = { userId, scope: inHome, roles: ["ORG_OWNER"] } as const;
      const code = { initializationCode: "sealed", isCodeAnswered };
      const grant = { ...given, ...code, permission: "org.member.write" } as const;
      const { events, rejection } = grantMembership(states, grant, now);
      return { events: as(by, events.user), reason: rejection?.reason };
    },
  };
}

const made = (one: UserState | undefined, kind: string) => {
  const found = one && credentialsOf(one, now).find((credential) => credential.kind === kind);
  return found && [found.maker, ...(found.via ?? [])];
};

describe("a password counts as made by who chose the address of the mail", () => {
  test("that it was chosen behind, and no more where another one was chosen", () => {
    const ada = life();
    ada.imported("manager", false);
    ada.initialized();
    expect(made(ada.state(), "password")).toEqual([userId, "manager"]);
    expect(made(ada.state(), "email")).toEqual(["manager"]);
    const elsewhere = life();
    elsewhere.imported("manager", false, "theirs");
    elsewhere.resent("orgOwner", "new@example.com");
    elsewhere.initialized();
    expect(made(elsewhere.state(), "password")).toEqual([userId, "orgOwner"]);
  });

  test("also where it was forgotten, or changed later", () => {
    const ada = life();
    ada.imported("manager", true, "theirs");
    expect(made(ada.state(), "password")).toEqual(["manager"]);
    ada.changed();
    expect(made(ada.state(), "password")).toEqual([userId, "manager"]);
    ada.forgotten();
    expect(made(ada.state(), "password")).toEqual([userId, "manager"]);
  });

  test("and a session by it, too", () => {
    const ada = life();
    ada.imported("orgOwner", false);
    ada.initialized();
    expect(ada.loggedIn()[0]?.payload).toMatchObject({ via: ["orgOwner"] });
    const { events } = ada.raised("owner");
    expect(events.map(({ payload }) => payload)).toEqual([
      { scope: inHome, roles: ["ORG_OWNER"], sessions: ["s"] },
    ]);
    expect(ada.state()?.memberships).toEqual(held({ scope: inHome, roles: ["ORG_OWNER"] }));
    expect(sessionsOf(ada.state(), now)).toHaveLength(1);
  });
});

describe("a person whose address a lesser one chose", () => {
  const voided = (...kinds: readonly string[]) => ({
    ...{ type: "user.credentials.voided" },
    payload: { voided: kinds.map((kind) => ({ kind })) },
  });
  const granted = expect.objectContaining({ type: "user.membership.granted" });
  const answered = (via = {}) => ({
    type: "user.human.initialization.code.added",
    payload: { code: "sealed", expirationMs: now + 72 * 3_600_000, send: false, ...via },
  });

  test("rises by a link alone, which is of who gave the role", () => {
    const ada = life();
    ada.imported("manager", true, "theirs");
    expect(ada.raised("orgOwner")).toEqual({ events: [], reason: "MEMBER_LOCKED_OUT" });
    const { events } = ada.raised("orgOwner", true);
    expect(events).toEqual([voided("email", "password"), answered(), granted]);
    expect([isCodeAnsweredBy(events), isCodeAnsweredBy([events[0]!])]).toEqual([true, false]);
    expect(made(ada.state(), "initialization-code")).toEqual(["orgOwner"]);
    expect(ada.initialized().map(({ type }) => type)).toEqual([
      "user.human.password.changed",
      "user.human.initialized",
    ]);
    expect(made(ada.state(), "password")).toEqual([userId, "orgOwner"]);
    expect(ada.state()?.human).toMatchObject({ isEmailVerified: false });
  });

  test("is sent a mail where an address is named, also the same", () => {
    const ada = life();
    ada.imported("manager", true, "theirs");
    ada.raised("orgOwner", true);
    expect(ada.resent("orgOwner")).toEqual([]);
    const [changed, code] = ada.resent("orgOwner", "manager@example.com");
    expect(changed).toMatchObject({ payload: { email: "manager@example.com" } });
    expect(user.messages?.(code!, ada.state()!)).toEqual([
      { field: "code", channel: "email", to: "manager@example.com" },
    ]);
    ada.initialized();
    expect(made(ada.state(), "email")).toEqual(["orgOwner"]);
    expect(ada.state()?.human).toMatchObject({ isEmailVerified: true });
  });

  test("keeps what is the person's own, and is mailed nothing", () => {
    const ada = life();
    ada.imported("manager", true);
    ada.token("orgOwner");
    const { events } = ada.raised("owner");
    expect(events).toEqual([voided("email", "initialization-code"), granted]);
  });
});

test("after a grant nothing lets lesser ones in, and no mail goes where they read it", () => {
  const by = fc.constantFrom(...Object.keys(others));
  const step = fc.oneof(
    fc.record({ do: fc.constant("resent"), by, email: fc.constantFrom("", "x@example.com") }),
    fc.record({ do: fc.constant("token"), by }),
    fc.record({ do: fc.constant("raised"), by, answered: fc.boolean() }),
    fc.record({ do: fc.constantFrom("initialized", "forgotten", "changed", "loggedIn") }),
  );
  const first = fc.tuple(by, fc.boolean(), fc.option(fc.constant("h"), { nil: undefined }));
  const holds = ({ maker, via = [] }: Made) =>
    [maker, ...via].every((id) => ["ada", "orgOwner", "owner"].includes(id));
  let grants = 0;
  fc.assert(
    fc.property(first, fc.array(step, { maxLength: 8 }), (given, steps) => {
      const ada = life();
      ada.imported(...given);
      let isRaised = false;
      for (const one of steps) {
        let events: readonly UserEvent[] = [];
        if (one.do === "raised" && "answered" in one) {
          const raised = ada.raised(one.by, one.answered);
          events = raised.events;
          isRaised ||= events.length > 0;
          grants += events.length > 0 ? 1 : 0;
        } else if (one.do === "resent" && "email" in one) events = ada.resent(one.by, one.email);
        else if (one.do === "token" && "by" in one) events = ada.token(one.by);
        else events = ada[one.do as "initialized" | "forgotten" | "changed" | "loggedIn"]();
        if (!isRaised) continue;
        const state = ada.state()!;
        const ways = [...credentialsOf(state, now), ...sessionsOf(state, now)];
        expect(ways.filter((way) => !holds({ maker: userId, ...way }))).toEqual([]);
        const mails = events.flatMap((event) => user.messages?.(event, state) ?? []);
        expect(mails.length === 0 || holds(state.human?.emailMade ?? { maker: "" })).toBe(true);
      }
    }),
    { numRuns: runs(200) },
  );
  expect(grants).toBeGreaterThan(0);
});
