import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { Gender } from "../../gen/iam/user/v1/user_pb.js";
import { row, runCases } from "../harness/cases.ts";
import { type GivenHuman, humanRefused, humanStored, requestFor } from "./humans.ts";

/** who the person is. */

const { importHumanUser } = ManagementService.method;

runCases("ImportHumanUser: profile", [
  humanStored("stores the least that is accepted", {}, {}, undefined, (message) => {
    expect(message.passwordlessRegistration).toBeUndefined();
    expect(message.userId).toMatch(/^[\da-f-]{36}$/);
  }),
  humanStored(
    "stores every field",
    profile({
      nickName: "Countess",
      displayName: "A. Lovelace",
      preferredLanguage: "en-GB",
      gender: Gender.FEMALE,
    }),
    {
      nickName: "Countess",
      displayName: "A. Lovelace",
      preferredLanguage: "en-GB",
      gender: "FEMALE",
    },
  ),
  humanStored(
    "stores that the password must be changed",
    { passwordChangeRequired: true },
    { passwordChangeRequired: true },
  ),

  ...(
    [
      [Gender.UNSPECIFIED, "UNSPECIFIED"],
      [Gender.FEMALE, "FEMALE"],
      [Gender.MALE, "MALE"],
      [Gender.DIVERSE, "DIVERSE"],
    ] as const
  ).map(([given, gender]) =>
    humanStored(`stores the gender ${gender}`, profile({ gender: given }), { gender }),
  ),

  ...(["firstName", "lastName"] as const).flatMap((field) => {
    const path = field === "firstName" ? "first_name" : "last_name";
    const shown = (name: string) => (field === "firstName" ? `${name} Lovelace` : `Ada ${name}`);
    const stored = (title: string, name: string) =>
      humanStored(`takes a ${field} ${title}`, profile({ [field]: name }), {
        [field]: name,
        displayName: shown(name),
      });
    return [
      stored("of 200 characters", "n".repeat(200)),
      stored("of 200 characters of four bytes", "😀".repeat(200)),
      stored("as it is written", " d'Arc–Ünlü "),
      refused(`a ${field} of white space`, { [field]: " \t\u00a0" }, path),
      refused(`a ${field} of invisible characters`, { [field]: "\u200b\ufeff" }, path),
      refused(`a ${field} with a line break`, { [field]: "Ada\r\n" }, path),
    ];
  }),

  ...(["nickName", "displayName"] as const).flatMap((field) => {
    const path = field === "nickName" ? "nick_name" : "display_name";
    const stored = (title: string, name: string) =>
      humanStored(`takes a ${field} ${title}`, profile({ [field]: name }), { [field]: name });
    return [
      stored("of one character", "n"),
      stored("of 200 characters", "n".repeat(200)),
      stored("of 200 characters of four bytes", "😀".repeat(200)),
      refused(`a ${field} with a line break`, { [field]: "A.\nLovelace" }, path),
    ];
  }),
  humanStored("shows the whole name where no other is given", profile({ displayName: "" }), {}),
  humanStored("shows the whole name for a blank one", profile({ displayName: " \u200b\t" }), {}),
  humanStored("keeps a nickname of white space", profile({ nickName: " " }), { nickName: " " }),

  ...["de", "DE", "de-CH", "zh-Hant-TW", "und", "en-US-x-a", "abcdefgh"].map((tag) =>
    humanStored(`takes the language ${tag}`, profile({ preferredLanguage: tag }), {
      preferredLanguage: tag,
    }),
  ),
  ...[
    "d",
    "de_CH",
    "de-",
    "de CH",
    " de",
    "*",
    "de,en",
    "german, hm",
    "\u0434\u0435",
    "i-klingon",
    "zh-yue",
  ].map((tag) =>
    refused(
      `the language ${JSON.stringify(tag)}`,
      { preferredLanguage: tag },
      "preferred_language",
    ),
  ),
  refused(
    "a language of 11 characters",
    { preferredLanguage: "de-CH-1996a" },
    "preferred_language",
  ),

  humanStored("takes a login name of 200 characters", ({ unique }) => ({
    userName: unique.padEnd(200, "n"),
  })),
  humanStored("counts characters of a login name, not bytes", ({ unique }) => ({
    userName: unique + "😀".repeat(200 - unique.length),
  })),
  humanStored("takes an address as login name", ({ unique }) => ({
    userName: `${unique}+a@example.com`,
  })),
  humanRefused("refuses a login name of white space", { userName: " \u2003" }, "user_name"),
  humanRefused("refuses a login name of two lines", { userName: "ada\nroot" }, "user_name"),
  humanRefused(
    "says why it refuses a line break",
    { userName: "ada\r\nroot" },
    "user_name",
    "must not contain control characters or line breaks",
  ),

  row("refuses a request without anything", importHumanUser, () => ({
    request: {},
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["user_name", "profile", "email"] },
  })),
  row("refuses an empty profile and address", importHumanUser, ({ unique }) => ({
    request: { userName: unique, profile: {}, email: {} },
    expected: {
      code: 3,
      reason: "INVALID_FIELDS",
      fields: ["profile.first_name", "profile.last_name", "email.email"],
    },
  })),
  row("says everything that is wrong at once", importHumanUser, () => ({
    request: {
      userName: " ",
      profile: { firstName: " ", lastName: " ", preferredLanguage: "_" },
      email: { email: "ada" },
      phone: { phone: "044" },
      password: "correct horse",
      hashedPassword: { value: "$1$" },
      otpCode: "1",
      idps: [
        { configId: "a", externalUserId: "b" },
        { configId: "a", externalUserId: "b" },
      ],
    },
    expected: {
      code: 3,
      reason: "INVALID_FIELDS",
      fields: [
        "user_name",
        "profile.first_name",
        "profile.last_name",
        "profile.preferred_language",
        "email.email",
        "phone.phone",
        "hashed_password.value",
        "otp_code",
        "idps[1]",
        "hashed_password",
      ],
    },
  })),
  row("gives every person an id of its own", importHumanUser, async (world) => {
    const before = await world.call(
      importHumanUser,
      requestFor(world, { userName: world.project }),
    );
    expect(before.ok).toBe(true);
    return {
      request: requestFor(world),
      expected: {
        ok: ({ userId }) => expect(before).not.toMatchObject({ message: { userId } }),
      },
    };
  }),
]);

type GivenProfile = Exclude<GivenHuman["profile"], undefined>;

function profile(given: GivenProfile): GivenHuman {
  return { profile: { firstName: "Ada", lastName: "Lovelace", ...given } as GivenProfile };
}

function refused(what: string, given: GivenProfile, field: string) {
  return humanRefused(`refuses ${what}`, profile(given), `profile.${field}`);
}
