import { expect } from "@jest/globals";
import type { RecordedEvent } from "../../src/event.ts";
import { checkNewHash } from "../../src/secrets/passwords/encoded.ts";
import { runCases, type World } from "../harness/cases.ts";
import { vectors } from "../secrets/passwords/vectors.ts";
import { humanRefused, humanStored } from "./humans.ts";

/** passwords, and hashes of them that other systems made. */

/** OWASP's first choice for Argon2id, written out here so that a change shows. */
const ownHash: unknown = expect.stringMatching(
  /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/,
);

const formats = [
  ..."argon2i argon2id 2a 2b 2y scrypt 7 pbkdf2 pbkdf2-sha1".split(" "),
  ..."pbkdf2-sha256 pbkdf2-sha512 5 6 1 P H".split(" "),
];

const a22 = "A".repeat(22);
const dots = (characters: number) => ".".repeat(characters);
const unknownFormat =
  "The accepted formats are Argon2 ($argon2id$, $argon2i$), bcrypt ($2a$, $2b$, $2y$), scrypt " +
  "($scrypt$, $7$), PBKDF2 ($pbkdf2$, $pbkdf2-sha1$, $pbkdf2-sha256$, $pbkdf2-sha512$), " +
  "sha-crypt ($5$, $6$), md5-crypt ($1$) and phpass ($P$, $H$).";

/** A hash that costs enough. */
const kept = vectors.find(([, one]) => checkNewHash(one).ok)![1];

runCases("ImportHumanUser: password", [
  ...(
    [
      ["that many people have", "password"],
      ["that many people have, in capital letters", "PASSWORD1"],
      ["of digits in order", "12345678"],
      ["of spaces", " ".repeat(8)],
      ["that is the first and last name", "Ada Lovelace"],
      ["that is the last name and the first", "lovelaceada"],
      ["that is the e-mail address", "ada@example.com"],
    ] as const
  ).map(([title, password]) =>
    humanRefused(`refuses a password ${title}`, { password }, "password"),
  ),
  humanStored(
    "takes a password that has a name in it",
    { password: "Ada Lovelace 1815" },
    {
      passwordHash: ownHash,
    },
  ),
  ...(
    [
      ["Argon2", argon2("m=4095,t=1,p=1"), "Argon2: m of a new hash is at least 4096 KiB."],
      [
        "PBKDF2",
        `$pbkdf2-sha256$999$${a22}$${"A".repeat(43)}`,
        "PBKDF2: the rounds of a new hash are at least 1000.",
      ],
      [
        "scrypt",
        `$scrypt$ln=11,r=8,p=1$${a22}$${a22}`,
        "scrypt: N of a new hash is at least 2^12.",
      ],
      [
        "sha-crypt",
        `$6$rounds=999$salt$${dots(86)}`,
        "sha-crypt: the rounds are from 1000 to 500000.",
      ],
    ] as const
  ).map(([title, value, message]) =>
    humanRefused(
      `refuses ${title} that costs too little`,
      hash(value),
      "hashed_password.value",
      message,
    ),
  ),
  ...[
    argon2("m=4096,t=1,p=1"),
    `$pbkdf2-sha256$1000$${a22}$${"A".repeat(43)}`,
    `$scrypt$ln=12,r=8,p=1$${a22}$${a22}`,
    `$6$rounds=1000$salt$${dots(86)}`,
    `$1$salt$${dots(22)}`,
    `$P$5${dots(30)}`,
  ].map((value) =>
    humanStored(`takes ${value.slice(0, 20)}`, hash(value), { passwordHash: value }),
  ),
  ...(
    [
      ["8 characters", "8 chars!"],
      ["8 characters of four bytes", "😀".repeat(8)],
      ["256 characters", "p".repeat(256)],
      ["256 characters of four bytes", "😀".repeat(256)],
      ["white space around it", "  spaces  "],
      ["a line break and a tab", "one\ntwo\tthree"],
    ] as const
  ).map(([title, password]) =>
    humanStored(
      `hashes a password of ${title}`,
      { password },
      { passwordHash: ownHash },
      undefined,
      (_message, world, events) => expectVerifies(world, events, password),
    ),
  ),
  humanRefused("refuses a password of 7 characters", { password: "7 chars" }, "password"),
  humanRefused("counts characters, not bytes", { password: "😀".repeat(7) }, "password"),
  humanStored("takes an empty password for none", { password: "" }),

  ...formats.map((id) => {
    const [password, hash] = vectors.find(
      ([, one]) => one.startsWith(`$${id}$`) && checkNewHash(one).ok,
    )!;
    return humanStored(
      `keeps a hash of the format $${id}$ byte for byte`,
      { hashedPassword: { value: hash } },
      { passwordHash: hash },
      undefined,
      (_message, world, events) => expectVerifies(world, events, password),
    );
  }),
  humanStored(
    "takes a hash next to an empty password",
    { password: "", hashedPassword: { value: kept } },
    { passwordHash: kept },
  ),
  humanRefused(
    "refuses both a password and a hash",
    { password: "correct horse", hashedPassword: { value: kept } },
    "hashed_password",
    "must be absent when a password is given",
  ),
  humanRefused(
    "refuses both where the hash is no good either",
    { password: "correct horse", hashedPassword: { value: "x" } },
    ["hashed_password.value", "hashed_password"],
  ),

  humanRefused("refuses a hash with U+0000", hash("$1$a\0"), "hashed_password.value"),
  ...(
    [
      ["512 characters of no format", "$".repeat(512), unknownFormat],
      ["a cleartext password", "correct horse", unknownFormat],
      ["yescrypt", "$y$j9T$salt$hash", unknownFormat],
      ["DES crypt", "ab1234567890.", unknownFormat],
      ["Apache's md5-crypt", `$apr1$salt$${dots(22)}`, unknownFormat],
      ["Argon2d", `$argon2d$v=19$m=256,t=1,p=1$${a22}$${a22}`, unknownFormat],
      ["bcrypt 2x", `$2x$10$${dots(53)}`, unknownFormat],
      [
        "Argon2 with too much memory",
        argon2("m=131073,t=1,p=1"),
        "Argon2: m is from 8 times p to 131072 KiB.",
      ],
      ["Argon2 with too many passes", argon2("m=256,t=11,p=1"), "Argon2: t is from 1 to 10."],
      ["Argon2 with too many lanes", argon2("m=256,t=1,p=9"), "Argon2: p is from 1 to 8."],
      ["bcrypt that costs too much", `$2b$16$${dots(53)}`, "bcrypt: the cost is from 04 to 15."],
      [
        "scrypt with too much memory",
        `$scrypt$ln=18,r=8,p=1$${a22}$${a22}`,
        "scrypt: 128 times N times r is at most 128 MiB, and times p 512 MiB.",
      ],
      [
        "PBKDF2 with too many rounds",
        `$pbkdf2-sha256$i=2000001$${a22}$${"A".repeat(43)}`,
        "PBKDF2: the rounds are from 1 to 2000000, times the blocks of sha256 in the hash.",
      ],
      [
        "sha-crypt with too many rounds",
        `$6$rounds=500001$salt$${dots(86)}`,
        "sha-crypt: the rounds are from 1000 to 500000.",
      ],
      [
        "phpass with too many rounds",
        `$P$H${dots(30)}`,
        "phpass: the rounds are from 2^7 to 2^18.",
      ],
    ] as const
  ).map(([title, value, message]) =>
    humanRefused(`refuses ${title}`, hash(value), "hashed_password.value", message),
  ),
]);

/** What is in the log verifies the password, and no other. */
async function expectVerifies(
  { server: { passwords } }: World,
  [event]: readonly RecordedEvent[],
  password: string,
): Promise<void> {
  const { passwordHash } = JSON.parse(event!.payload) as { readonly passwordHash: string };
  expect(await passwords.verifyPassword(password, passwordHash)).toBe(true);
  expect(await passwords.verifyPassword(`${password}!`, passwordHash)).toBe(false);
}

function hash(value: string) {
  return { hashedPassword: { value } };
}

function argon2(costs: string): string {
  return `$argon2id$v=19$${costs}$${a22}$${a22}`;
}
