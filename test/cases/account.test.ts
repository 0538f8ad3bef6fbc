import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect } from "@jest/globals";
import { CheckInitializationResponseSchema } from "../../gen/iam/account/v1/account_pb.js";
import { AccountService } from "../../gen/iam/account/v1/account_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { GetUserByIDResponse } from "../../gen/iam/management/v1/user_search_pb.js";
import { UserState } from "../../gen/iam/user/v1/user_pb.js";
import { type Case, row, runCases } from "../harness/cases.ts";
import { givenAccount, humanOf, password, phone, refused } from "./accounts.ts";
import type { GivenHuman } from "./humans.ts";
import { fact, granted } from "./stored.ts";
import { change, detailsOfStream, happen } from "./users.ts";

/** The code of the initialization mail: what is left to do, and taking the account over. */

const { checkInitialization, initialize } = AccountService.method;
const { getUserByID } = ManagementService.method;

const hash = "$1$saltsalt$od1xloZFQc7i5EKt1XUbG0";
const withHash = { hashedPassword: { value: hash } };
const verified = { email: { email: "ada@example.com", isEmailVerified: true } };

/** A row about what is left to do; where nothing is said, as for the least that is imported. */
function left(
  title: string,
  human: GivenHuman,
  expected: Partial<{ displayName: string; needsPassword: boolean; phoneUnverified: boolean }>,
): Case {
  return row(`CheckInitialization: ${title}`, checkInitialization, async (world) => ({
    request: await givenAccount(world, human),
    token: "",
    expected: {
      ok(message, events) {
        expect(message).toEqual(
          create(CheckInitializationResponseSchema, {
            userName: world.unique,
            displayName: "Ada Lovelace",
            needsPassword: true,
            passwordCharactersMin: 8,
            passwordCharactersMax: 256,
            phoneUnverified: false,
            organization: "Default",
            ...expected,
          }),
        );
        expect(events).toEqual([]);
      },
    },
  }));
}

const types = {
  verified: "user.human.email.verified",
  changed: "user.human.password.changed",
  done: "user.human.initialized",
} as const;

/** A row that takes an account over, and what that leaves. */
function taken(
  title: string,
  human: GivenHuman,
  chosen: string,
  recorded: readonly (keyof typeof types)[],
): Case {
  return row(`Initialize: ${title}`, initialize, async (world) => {
    const { server } = world;
    const { userId, code } = await givenAccount(world, human);
    const before = await humanOf(server, userId);
    const { length } = await server.store.readStream(`user-${userId}`, 0, 100);
    return {
      request: { userId, code, password: chosen },
      token: "",
      expected: {
        async ok({ details }, events) {
          const passwordHash = expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
          const stream = { stream: `user-${userId}`, owner: server.admin.organization };
          expect(events.map(fact)).toEqual(
            recorded.map((name, index) => ({
              ...stream,
              actor: userId,
              version: length + index + 1,
              type: types[name],
              payload: name === "changed" ? { passwordHash } : {},
            })),
          );
          expect(details).toEqual(await detailsOfStream(server, `user-${userId}`));
          const after = await humanOf(server, userId);
          const stored = after?.passwordHash ?? "";
          expect(stored).toEqual(chosen === "" ? hash : passwordHash);
          // What is kept was not made of an empty password either.
          const opens = await server.passwords.verifyPassword(chosen, stored);
          expect(opens).toBe(chosen !== "");
          expect(after).not.toHaveProperty("initialization");

          const { user } = granted<GetUserByIDResponse>(
            await world.call(getUserByID, { id: userId }),
          );
          const changedMs =
            events.find(({ type }) => type === types.changed)?.timeMs ?? before?.passwordChangedMs;
          expect(user).toMatchObject({
            state: UserState.ACTIVE,
            type: {
              case: "human",
              value: {
                email: { isEmailVerified: true },
                passwordChanged: timestampFromMs(changedMs ?? 0),
              },
            },
          });
          const again = await world.call(initialize, { userId, code, password }, "");
          expect(again).toMatchObject({ ok: false, ...refused });
          const seen = await world.call(checkInitialization, { userId, code }, "");
          expect(seen).toMatchObject({ ok: false, ...refused });
        },
      },
    };
  });
}

/** A password that breaks a rule; the code stays good. */
function unusable(title: string, human: GivenHuman, chosen: string): Case {
  return row(`Initialize: refuses ${title}`, initialize, async (world) => {
    const { userId, code } = await givenAccount(world, human);
    for (let nth = 0; nth < 6; nth += 1) {
      const request = { userId, code, password: chosen };
      expect(await world.call(initialize, request, "")).toMatchObject({ ok: false, code: 3 });
    }
    granted(await world.call(checkInitialization, { userId, code }, ""));
    return {
      request: { userId, code, password: chosen },
      token: "",
      expected: { code: 3, reason: "INVALID_FIELDS", fields: ["password"] },
    };
  });
}

runCases("accounts", [
  left("a password, by the least", {}, {}),
  left("nothing but the address", withHash, { needsPassword: false }),
  left("a password of a verified person", verified, {}),
  left("a password, with a chosen name", { profile: named("Countess") }, displayed("Countess")),
  left("a phone", { phone: { phone } }, { phoneUnverified: true }),
  left("no phone that is verified", { phone: { phone, isPhoneVerified: true } }, {}),
  row("CheckInitialization: as often as one likes", checkInitialization, async (world) => {
    const given = await givenAccount(world);
    for (let nth = 0; nth < 6; nth += 1) granted(await world.call(checkInitialization, given, ""));
    return {
      request: given,
      token: "",
      expected: { ok: (_, events) => expect(events).toEqual([]) },
    };
  }),
  row(
    "CheckInitialization: no more, though the person is active again",
    checkInitialization,
    async (world) => {
      const given = await givenAccount(world);
      const events = [change("user.deactivated"), change("user.reactivated")];
      await happen(world.server, events, { id: given.userId });
      return {
        request: given,
        token: "",
        expected: refused,
      };
    },
  ),

  taken("with a password", {}, password, ["verified", "changed", "done"]),
  taken("with the shortest password", {}, "8 chars!", ["verified", "changed", "done"]),
  taken("with the longest password", {}, "😀".repeat(256), ["verified", "changed", "done"]),
  taken("of a verified person", verified, password, ["changed", "done"]),
  taken("with the password that is there", withHash, "", ["verified", "done"]),
  taken("with another password", withHash, password, ["verified", "changed", "done"]),
  taken(
    "with another password than the one that had to be changed",
    { ...withHash, passwordChangeRequired: true },
    password,
    ["verified", "changed", "done"],
  ),
  unusable("no password where there is none", {}, ""),
  unusable("no password of a verified person", verified, ""),
  unusable("a password of 7 characters", {}, "1234567"),
  unusable("a password of 7 characters of two units", {}, "😀".repeat(7)),
  unusable("a short password where there is one", withHash, "1234567"),
  unusable("a password that many people have", {}, "12345678"),
  unusable("a password of spaces", {}, " ".repeat(8)),
  unusable("the name of the person", {}, "ada lovelace"),
]);

function named(displayName: string) {
  return { firstName: "Ada", lastName: "Lovelace", displayName };
}

function displayed(displayName: string) {
  return { displayName };
}
