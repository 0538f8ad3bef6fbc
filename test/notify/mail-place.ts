import { createEmail } from "../../src/notify/channel/email.ts";
import type { Worker, WorkerOptions } from "../../src/notify/worker.ts";
import { type NotifyPlace, notifyPlace, sender } from "./place.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { type MailServer, startMailServer } from "./smtp.ts";

/** A place with servers to deliver to, which end with it. */
export interface MailPlace extends NotifyPlace {
  /** Starts a mail server that answers as said. */
  mailServer(answers?: Parameters<typeof startMailServer>[1]): Promise<MailServer>;
  /** Starts a server that SMS are sent to. */
  receiver(): Promise<Receiver>;
  /** Starts a worker that hands everything to the mail server, what is for phones too. */
  startWith(server: Pick<MailServer, "server">, options?: Partial<WorkerOptions>): Worker;
}

export async function mailPlace(): Promise<MailPlace> {
  const place = await notifyPlace();
  const closing: (() => Promise<void>)[] = [];
  return {
    ...place,
    mailServer: async (answers) => {
      const server = await startMailServer(place.watch, answers);
      closing.push(() => server.down());
      return server;
    },
    receiver: async () => {
      const receiver = await startReceiver(place.watch);
      closing.push(() => receiver.close());
      return receiver;
    },
    startWith: ({ server }, options = {}) => {
      const email = createEmail({ server, from: sender });
      return place.start({ channels: { email, sms: email }, ...options });
    },
    remove: async () => {
      await place.remove();
      for (const close of closing) await close();
    },
  };
}
