import { expect } from "@jest/globals";
import { runCases } from "../harness/cases.ts";
import type { TestServer } from "../harness/server.ts";
import { type GivenHuman, givenIDP, humanRefused, humanStored, type Told, told } from "./humans.ts";
import { sha256 } from "./stored.ts";

/** who is sent a code or given a link, and secrets of authenticator apps. */

/** The key of RFC 6238's own examples. */
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const hash = "$1$saltsalt$od1xloZFQc7i5EKt1XUbG0";

const passwords = {
  "no password": { given: {}, stored: {} },
  password: {
    given: { password: "correct horse" },
    stored: { passwordHash: expect.stringMatching(/^\$argon2id\$/) },
  },
  "hashed password": {
    given: { hashedPassword: { value: hash } },
    stored: { passwordHash: hash },
  },
};

const theSecret: Told = ["user.human.otp.added", { secret }];
const anAccount: Told = [
  "user.human.externalidp.added",
  { idpId: expect.any(String), externalUserId: expect.any(String), displayName: "Ada at work" },
];
const aLink: Told = [
  "user.human.passwordless.initialization.code.added",
  {
    codeId: expect.stringMatching(/^[\da-f-]{36}$/),
    codeHash: expect.stringMatching(/^[\da-f]{64}$/),
    leftMs: 3_600_000,
  },
];

/** A password is one however it is given; accounts at providers and links are none. */
const truthTable = [
  ["unverified", "no password", "code"],
  ["unverified", "password", "code"],
  ["unverified", "hashed password", "code"],
  ["verified", "no password", "code"],
  ["verified", "password", "no code"],
  ["verified", "hashed password", "no code"],
] as const;

runCases("ImportHumanUser: codes", [
  ...truthTable.flatMap(([address, password, outcome]) =>
    (
      [
        [false, false],
        [true, false],
        [false, true],
        [true, true],
      ] as const
    ).map(([linked, link]) =>
      humanStored(
        `${outcome}: ${address}, ${password}${linked ? ", linked" : ""}${link ? ", a link" : ""}`,
        async ({ server }) => ({
          email: { email: "ada@example.com", isEmailVerified: address === "verified" },
          ...passwords[password].given,
          idps: linked ? [await account(server)] : [],
          requestPasswordlessRegistration: link,
        }),
        passwords[password].stored,
        [
          ...(address === "verified" ? [told.emailVerified] : []),
          ...(outcome === "code" ? [told.initialization] : []),
          ...(linked ? [anAccount] : []),
          ...(link ? [aLink] : []),
        ],
      ),
    ),
  ),

  humanStored(
    "records everything in this order, with a phone that is to be verified",
    async ({ server }) => ({ ...(await everything(server)), phone: { phone: "+41446681800" } }),
    { phone: "+41446681800", passwordHash: hash },
    [told.initialization, told.phoneCode, theSecret, anAccount, aLink],
  ),
  humanStored(
    "records everything in this order, with verified contact",
    async ({ server }) => ({
      ...(await everything(server)),
      email: { email: "ada@example.com", isEmailVerified: true },
      phone: { phone: "+41446681800", isPhoneVerified: true },
    }),
    { phone: "+41446681800", passwordHash: hash },
    [told.emailVerified, told.phoneVerified, theSecret, anAccount, aLink],
  ),
  humanStored(
    "makes a code of its own for every purpose",
    { phone: { phone: "+41446681800" } },
    { phone: "+41446681800" },
    [told.initialization, told.phoneCode],
    (_message, { server: { keyring } }, events) => {
      const [, initialization, phone] = events;
      const stream = initialization!.stream;
      const sealed = ({ payload }: typeof initialization & object) =>
        (JSON.parse(payload) as { readonly code: string }).code;
      // A code that was made for one field opens nowhere else.
      expect(() => keyring.open(sealed(phone!), { stream, field: "initialization.code" })).toThrow(
        "cannot be opened",
      );
      expect(sealed(phone!)).not.toBe(sealed(initialization!));
    },
  ),

  ...(
    [
      ["as apps write it", secret, secret],
      ["in lower case", secret.toLowerCase(), secret],
      ["in groups with spaces", "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ", secret],
      ["in groups with hyphens", "gezd-gnbv-gy3t-qojq-gezd-gnbv-gy3t-qojq", secret],
      ["of 16 characters", "A".repeat(16), "A".repeat(16)],
      ["of 128 characters", "A".repeat(128), "A".repeat(128)],
      ["with padding", "A".repeat(18) + "=".repeat(6), "A".repeat(18)],
    ] as const
  ).map(([title, otpCode, stored]) =>
    humanStored(`seals the secret of an authenticator app ${title}`, { otpCode }, {}, [
      told.initialization,
      ["user.human.otp.added", { secret: stored }],
    ]),
  ),
  humanStored("takes an empty secret for none", { otpCode: "" }),
  ...(
    [
      ["of 15 characters", "A".repeat(15)],
      ["of 129 characters", "A".repeat(129)],
      ["of no whole bytes", "A".repeat(17)],
      ["with a digit that base32 lacks", `${"A".repeat(15)}1`],
      ["with another script", `${"A".repeat(15)}\u0391`],
      ["that is a code", "123456"],
      ["with too little padding", `${"A".repeat(18)}=`],
      ["that is an address", `otpauth://totp/a?secret=${secret}`],
      ["of 256 characters", "=".repeat(256)],
    ] as const
  ).map(([title, otpCode]) =>
    humanRefused(
      `refuses a secret ${title}`,
      { otpCode },
      "otp_code",
      "The secret of an authenticator app is base32 (RFC 4648), 16 to 128 of the characters " +
        "A-Z and 2-7 that make whole bytes.",
    ),
  ),
  humanStored("takes a secret of 256 characters", { otpCode: "A ".repeat(128) }, {}, [
    told.initialization,
    ["user.human.otp.added", { secret: "A".repeat(128) }],
  ]),
  humanRefused(
    "refuses a secret of 257 characters",
    { otpCode: `${"A ".repeat(128)} ` },
    "otp_code",
  ),
  humanRefused("refuses a secret with U+0000", { otpCode: "A\0" }, ["otp_code"]),

  humanStored(
    "answers a link that only the answer has",
    { requestPasswordlessRegistration: true },
    {},
    [told.initialization, aLink],
    ({ passwordlessRegistration, userId }, { server }, events) => {
      const { link, lifetime, expiration } = passwordlessRegistration!;
      const { origin, pathname, searchParams, hash: fragment } = new URL(link);
      expect(origin + pathname + fragment).toBe("https://iam.example.com/ui/passwordless/init");
      const { codeID, code, ...ids } = Object.fromEntries(searchParams);
      expect(ids).toEqual({ userID: userId, orgID: server.admin.organization });
      expect(code).toMatch(/^[\w-]{43}$/);
      expect(JSON.parse(events.at(-1)!.payload)).toMatchObject({
        codeId: codeID,
        codeHash: sha256(code!),
      });
      for (const time of [lifetime, expiration]) {
        expect(time).toMatchObject({ seconds: 3_600n, nanos: 0 });
      }
      expect(JSON.stringify(events.map(({ payload }) => payload))).not.toContain(code);
    },
  ),
]);

async function account(server: TestServer) {
  const configId = await givenIDP(server, server.admin.organization, "ORGANIZATION");
  return { configId, externalUserId: "ada", displayName: "Ada at work" };
}

/** All that leaves an event besides contact. */
async function everything(server: TestServer): Promise<GivenHuman> {
  return {
    hashedPassword: { value: hash },
    otpCode: secret,
    idps: [await account(server)],
    requestPasswordlessRegistration: true,
  };
}
