import { afterEach, expect, test } from "@jest/globals";
import { createEmail } from "../../src/notify/channel/email.ts";
import type { Message } from "../../src/notify/message/message.ts";
import { sender, startMs } from "./place.ts";
import { type MailServer, startMailServer } from "./smtp.ts";
import { createWatch } from "./watch.ts";

const message: Message = {
  ...{ id: "12-code", digest: "d1ge57", channel: "email", to: "ada@example.com", language: "en" },
  ...{ subject: "Your code", text: "Your code is ABC123.\n", timeMs: startMs },
};
const never = new AbortController().signal;

let server: MailServer;
afterEach(() => server.down());

/** What becomes of a mail that is answered so, to its sender, its recipient or its text. */
async function kindOf(to: "sender" | "recipient" | "text", answer: string): Promise<string> {
  const answers = {
    sender: { sender: () => answer },
    recipient: { recipient: () => answer },
    text: { data: async () => answer },
  };
  server = await startMailServer(createWatch(), answers[to]);
  return (await createEmail({ server: server.server, from: sender })(message, never)).kind;
}

test.each([
  ["550 5.1.1 No such user", "recipient"],
  ["556 5.1.10 Recipient address has null MX", "recipient"],
  ["552 5.2.2 Mailbox full", "recipient"],
  ["550 5.4.1 Recipient address rejected: Access denied", "recipient"],
  ["552 5.3.4 Message size exceeds fixed limit", "text"],
  ["501 Malformed address", "recipient"],
  ["550 No such user", "recipient"],
  ["551 User not local", "recipient"],
  ["553 Mailbox name not allowed", "recipient"],
  ["550 5.1.1 No such user", "text"],
  ["554 5.6.0 Not as it must be", "text"],
  ["554 5.7.1 This looks like spam", "text"],
] as const)("a mail is given up where %s is said to its %s", async (answer, to) => {
  expect(await kindOf(to, answer)).toBe("refused");
});

test.each([
  ["550 5.1.1 No such user", "sender"],
  ["550 No such user", "sender"],
  ["554 5.7.1 Relay access denied", "recipient"],
  ["550 5.7.1 Client host blocked", "recipient"],
  ["550 5.4.5 Daily user sending limit exceeded", "recipient"],
  ["550 5.1.7 No such sender", "recipient"],
  ["554 5.1.8 The domain of the sender is not found", "recipient"],
  ["552 Over quota", "recipient"],
  ["550 5.4.1 No answer from a host", "text"],
  ["554 Transaction failed", "recipient"],
  ["503 Bad sequence", "recipient"],
  ["450 4.1.1 Not now", "recipient"],
  ["550 5.4.5 Daily user sending limit exceeded", "text"],
  ["550 5.7.60 The client may not send as this sender", "text"],
  ["550 5.7.26 The sender is not authenticated", "text"],
  ["554 The address of the sender is not verified", "text"],
] as const)("a mail is tried again where %s is said to its %s", async (answer, to) => {
  expect(await kindOf(to, answer)).toBe("missed");
});
