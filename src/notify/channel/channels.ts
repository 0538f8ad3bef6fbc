import type { RandomBytes } from "../../secrets/tokens.ts";
import type { Store } from "../../store/store.ts";
import type { Channels } from "./channel.ts";
import { createEmail, type Mailbox, type SmtpServer } from "./email.ts";
import { createOutbox } from "./outbox.ts";
import { createSms } from "./sms.ts";

/** The configured ways out, and what takes their place. */
export interface ChannelOptions {
  readonly smtp?: SmtpServer;
  readonly from: Mailbox;
  readonly sms?: { readonly url: string; readonly key: string };
  /** Whether mails may leave this machine without TLS. */
  readonly cleartext?: boolean;
  /** The directory of messages that have no channel. */
  readonly outbox: string;
  readonly now: () => number;
  readonly random: RandomBytes;
  /** The log, whose events ask for the messages. */
  readonly store: Pick<Store, "readAll">;
}

/** The channels that are configured, and files in place of those that are not. */
export function createChannels({
  smtp,
  from,
  sms,
  cleartext = false,
  outbox: directory,
  now,
  random,
  store,
}: ChannelOptions): Channels {
  const outbox = createOutbox({ directory, from, random, store });
  return {
    email: smtp === undefined ? outbox : createEmail({ server: smtp, from, cleartext }),
    sms: sms === undefined ? outbox : createSms({ ...sms, now }),
  };
}
