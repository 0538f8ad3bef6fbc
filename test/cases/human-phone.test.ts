import { runCases } from "../harness/cases.ts";
import { type GivenHuman, humanRefused, humanStored, type Told, told } from "./humans.ts";

/** the phone number. */

runCases("ImportHumanUser: phone", [
  phoneStored("that is to be verified", "+41446681800", "+41446681800"),
  phoneStored("that is verified", "+41446681800", "+41446681800", true),
  ...(
    [
      ["+41 44 668 18 00", "+41446681800"],
      ["+41-44-668-18-00", "+41446681800"],
      ["+41.44.668.18.00", "+41446681800"],
      ["+41(44)6681800", "+41446681800"],
      ["+41 (0)44 668 18 00", "+41446681800"],
      ["+(41) 44 - 668.18.00", "+41446681800"],
      ["+41446681800-", "+41446681800"],
      ["tel:+41-44-668-18-00", "+41446681800"],
      ["TEL:+41446681800", "+41446681800"],
      ["+1 (650) 253-0000", "+16502530000"],
      ["+800 1234 5678", "+80012345678"],
      ["+39 02 1234 5678", "+390212345678"],
      ["+41446681800".padEnd(50, "-"), "+41446681800"],
    ] as const
  ).map(([given, stored]) => phoneStored(`written as ${given}`, given, stored)),

  ...[
    "0446681800",
    "044 668 18 00",
    "41446681800",
    "0041446681800",
    "+0041446681800",
    "+",
    "tel:",
    "tel:0446681800",
    "tel: +41446681800",
    " +41446681800",
    "++41446681800",
    "+41446681800+",
    "+41 44 668 18 00 x12",
    "+41446681800;ext=12",
    "+41446681800;phone-context=example.com",
    "+41446681800,12",
    "+1-800-FLOWERS",
    "+41\t446681800",
    "+41\r\n446681800",
    "+41/446681800",
    "+41\u00a0446681800",
    "\uff0b41446681800",
    "+٤١٤٤٦٦٨١٨٠٠",
    "+41",
    "+41 1",
    "+1 555",
    "+414466818001234567",
    "+999 12345678",
    "callto:+41446681800",
    "sip:+41446681800",
    "x".repeat(50),
  ].map((given) =>
    humanRefused(`refuses the phone ${JSON.stringify(given)}`, phone(given), "phone.phone"),
  ),
  humanRefused("refuses a phone of 51 characters", phone("+41446681800".padEnd(51, "-")), [
    "phone.phone",
  ]),
  humanRefused("refuses a phone without a number", { phone: {} }, "phone.phone"),
  humanRefused("refuses a verified phone without a number", { phone: { isPhoneVerified: true } }, [
    "phone.phone",
  ]),
  humanRefused("refuses a phone with U+0000", phone("+41446681800\0"), "phone.phone"),
  humanRefused(
    "says what a phone number is",
    phone("044"),
    "phone.phone",
    "must be a global phone number, for example +41 44 668 18 00",
  ),
]);

function phone(number: string, isPhoneVerified = false): GivenHuman {
  return { phone: { phone: number, isPhoneVerified } };
}

function phoneStored(title: string, given: string, stored: string, isVerified = false) {
  const rest: readonly Told[] = [
    told.initialization,
    isVerified ? told.phoneVerified : told.phoneCode,
  ];
  return humanStored(`stores a phone ${title}`, phone(given, isVerified), { phone: stored }, rest);
}
