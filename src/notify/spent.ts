import type { Quota } from "../event.ts";
import type { Log } from "./carry.ts";

/**
 * Says that all the messages were asked for that an organization, or everybody together, may have
 * in a day; a store tells of it once a day. Nothing is said of numbers and addresses.
 */
export function saySpent({ kind, value: organization, most }: Quota, log: Pick<Log, "warn">): void {
  const said = sentences.get(kind);
  const whose = organization === "" ? {} : { organization };
  if (said !== undefined) log.warn({ ...whose, most }, said);
}

const sentences: ReadonlyMap<string, string> = new Map([
  [
    "sms.organization",
    "the daily SMS limit of the organization is used up: more are refused for now",
  ],
  ["email.organization", "the daily mail limit of the organization is used up: more are postponed"],
  [
    "reset.organization",
    "the daily limit of mails for forgotten passwords of the organization is used up: no " +
      "more are sent for now",
  ],
  [
    "registration.instance",
    "the daily limit of mails to people who register is used up: nobody can register for now",
  ],
]);
