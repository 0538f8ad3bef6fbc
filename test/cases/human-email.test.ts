import { runCases } from "../harness/cases.ts";
import { type GivenHuman, humanRefused, humanStored, told } from "./humans.ts";

/** the e-mail address. */

const domain = `${"d".repeat(61)}.${"e".repeat(61)}.${"f".repeat(61)}.com`;

runCases("ImportHumanUser: email", [
  humanStored("stores an address that is to be verified", email("ada@example.org"), {
    email: "ada@example.org",
  }),
  humanStored(
    "stores an address that is not verified, as said",
    { email: { email: "ada@example.com", isEmailVerified: false } },
    {},
  ),
  // Without a password there is something to initialize, whatever the address is.
  humanStored(
    "stores an address that is verified",
    { email: { email: "ada@example.com", isEmailVerified: true } },
    {},
    [told.emailVerified, told.initialization],
  ),

  ...[
    "a@b",
    "ADA@Example.COM",
    "ada+tag@example.com",
    "ada.lovelace@sub.example.co.uk",
    "o'brien_9x#$&*/?=^`{|}~-@example.com",
    "ada@xn--bcher-kva.example",
    "ada@bücher.example",
    "用户@例子.广告",
    "आदा@उदाहरण.परीक्षा",
    "😀@example.com",
    `${"a".repeat(64)}@${domain}`,
    `${"😀".repeat(16)}@${"d".repeat(63)}.com`,
  ].map((address) => humanStored(`takes ${cut(address)}`, email(address), { email: address })),

  ...[
    "ada",
    "@",
    "ada@",
    "@example.com",
    "ada@@example.com",
    "ada@home@example.com",
    "Ada <ada@example.com>",
    "<ada@example.com>",
    '"Ada" <ada@example.com>',
    '"ada"@example.com',
    "ada(comment)@example.com",
    "ada@example.com,bob@example.com",
    "ada@example.com, bob@example.com",
    "ada@example.com;bob@example.com",
    "ada@example.com bob@example.com",
    "mailto:ada@example.com",
    "ada@example.com\r\nBcc: bob@example.com",
    "ada@example.com\n",
    "\r\nada@example.com",
    "ada\r@example.com",
    "ada\u2028@example.com",
    " ada@example.com",
    "ada@example.com ",
    "ada lovelace@example.com",
    "ada@exam ple.com",
    "ada\t@example.com",
    "ada\u00a0@example.com",
    "ada\u200b@example.com",
    "ada\u202e@example.com",
    "ada@exa\u00admple.com",
    "ada\u0007@example.com",
    ".ada@example.com",
    "ada.@example.com",
    "ada..lovelace@example.com",
    "ada@.example.com",
    "ada@example.com.",
    "ada@example..com",
    "ada@-example.com",
    "ada@example-.com",
    "ada@sub.-example.com",
    "ada@exam_ple.com",
    "ada@exämple!.com",
    "ada@192.0.2.1",
    "ada@[192.0.2.1]",
    "ada@[IPv6:::1]",
    "ada\\@example.com",
    "ada@example.com:25",
    "ada@example.com/path",
    // What is not seen, or becomes another host on its way to the mail server.
    ...["\u3164", "\ufe0f", "\uffa0", "\u115f", "\u17b4", "\u034f"].flatMap((unseen) => [
      `a${unseen}da@example.com`,
      `ada@ex${unseen}ample.com`,
    ]),
    "ada@１２７.0.0.1",
    "ada@ｅxample.com",
    `${"a".repeat(65)}@example.com`,
    `${"😀".repeat(16)}a@example.com`,
    `ada@${"d".repeat(64)}.com`,
  ].map((address) =>
    humanRefused(`refuses ${JSON.stringify(address)}`, email(address), "email.email"),
  ),
  humanRefused(
    "refuses an address of 255 characters",
    email(`${"a".repeat(65)}@${domain}`),
    "email.email",
  ),
  humanRefused(
    "says what an address is",
    email("ada"),
    "email.email",
    "must be one e-mail address, for example ada@example.com",
  ),
]);

function email(address: string): GivenHuman {
  return { email: { email: address } };
}

function cut(address: string): string {
  const length = [...address].length;
  return length > 50 ? `an address of ${length} characters from ${[...address][0]}` : address;
}
