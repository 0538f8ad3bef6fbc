import { sendLimits } from "../domain/sending.ts";
import { defaultLimits } from "../gateway/call/limits.ts";
import { integer, rate, type Setting } from "./setting.ts";

/** Calls at once that a setting may say. */
const burst = integer(1, 1_000_000);

/** Messages in a day that a setting may say. */
const sends = integer(1, 1_000_000);

/** The settings that replace limits: see `limits.ts`. */
export const limitSettings = {
  callerRate: {
    name: "IAM_CALLER_RATE",
    default: "",
    meaning: "Calls per second of one caller, with any of its tokens; no bound when empty",
    parse: rate,
  } satisfies Setting<number>,
  callerBurst: {
    name: "IAM_CALLER_BURST",
    default: String(defaultLimits.callerBurst),
    meaning: "Calls that one caller may make at once under IAM_CALLER_RATE",
    parse: burst,
  } satisfies Setting<number>,
  addressRate: {
    name: "IAM_ADDRESS_RATE",
    default: "",
    meaning: "Calls, pages and token requests per second of one address; no bound when empty",
    parse: rate,
  } satisfies Setting<number>,
  addressBurst: {
    name: "IAM_ADDRESS_BURST",
    default: String(defaultLimits.addressBurst),
    meaning: "Those that one address may send at once under IAM_ADDRESS_RATE",
    parse: burst,
  } satisfies Setting<number>,
  smsPerNumber: {
    name: "IAM_SMS_PER_NUMBER",
    default: String(sendLimits.smsPerNumber),
    meaning: "SMS per day to one number; more are refused",
    parse: sends,
  } satisfies Setting<number>,
  smsPerOrganization: {
    name: "IAM_SMS_PER_ORGANIZATION",
    default: String(sendLimits.smsPerOrganization),
    meaning: "SMS per day of one organization; more are refused",
    parse: sends,
  } satisfies Setting<number>,
  mailsPerAddress: {
    name: "IAM_MAILS_PER_ADDRESS",
    default: String(sendLimits.mailsPerAddress),
    meaning:
      "Mails per day of one organization to one address; the same again for forgotten passwords",
    parse: sends,
  } satisfies Setting<number>,
  mailsPerOrganization: {
    name: "IAM_MAILS_PER_ORGANIZATION",
    default: String(sendLimits.mailsPerOrganization),
    meaning: "Mails per day of one organization; the same again for forgotten passwords",
    parse: sends,
  } satisfies Setting<number>,
  registrationMails: {
    name: "IAM_REGISTRATION_MAILS",
    default: String(sendLimits.registrationMails),
    meaning: "Mails per day to people who register, of all organizations; more are refused",
    parse: sends,
  } satisfies Setting<number>,
  bodyBytesMax: {
    name: "IAM_BODY_BYTES_MAX",
    default: String(defaultLimits.bodyBytesMax),
    meaning: "Bytes of one request message, as sent and decompressed",
    parse: integer(1_024, 16 * 1024 * 1024),
  } satisfies Setting<number>,
  requestTimeoutMs: {
    name: "IAM_REQUEST_TIMEOUT_MS",
    default: String(defaultLimits.requestTimeoutMs),
    meaning: "Milliseconds within which a request must arrive completely",
    parse: integer(100, 600_000),
  } satisfies Setting<number>,
  drainMs: {
    name: "IAM_DRAIN_MS",
    default: String(defaultLimits.drainMs),
    meaning: "Milliseconds of calls with /readyz at 503 before a stop, for balancers to notice",
    parse: integer(0, 600_000),
  } satisfies Setting<number>,
  stopGraceMs: {
    name: "IAM_STOP_GRACE_MS",
    default: String(defaultLimits.stopGraceMs),
    meaning: "Milliseconds that open calls have to finish when the service stops",
    parse: integer(0, 600_000),
  } satisfies Setting<number>,
};
