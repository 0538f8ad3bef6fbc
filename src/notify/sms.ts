import { createHmac } from "node:crypto";
import { codeOf, type Send } from "./channel.ts";

export interface SmsOptions {
  /** The webhook that sends what it is told. The operator chose it, so its address is trusted. */
  readonly url: string;
  /** What both sides sign with. */
  readonly key: string;
  readonly now: () => number;
  readonly timeoutMs?: number;
}

/** How long the webhook may take to answer, in milliseconds. */
export const smsTimeoutMs = 10_000;

/** Characters of a key; 32 at random are as good as the hash (SHA-256). */
export const smsKeyCharactersMin = 32;

/**
 * Sends by a webhook: `POST {"to", "text", "messageId"}` with
 *
 *     x-iam-timestamp: <Unix seconds>
 *     x-iam-signature: sha256=<HMAC-SHA256 of "<timestamp>.<body>" in hexadecimal>
 *
 * The receiver checks the signature over the body as it came, drops what is too old, and sends a
 * `messageId` that it has seen before no second time. Redirects are not followed.
 */
export function createSms({ url, key, now, ...options }: SmsOptions): Send {
  const timeoutMs = options.timeoutMs ?? smsTimeoutMs;
  return async ({ to, text, id }, signal) => {
    const body = JSON.stringify({ to, text, messageId: id });
    const timestamp = String(Math.floor(now() / 1_000));
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-iam-timestamp": timestamp,
          "x-iam-signature": `sha256=${signatureOf(key, timestamp, body)}`,
        },
        body,
        redirect: "manual",
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      await response.body?.cancel();
      if (response.ok) return { kind: "sent" };
      const kind = isFinal(response.status) ? "refused" : "missed";
      return { kind, problem: `the SMS webhook answered ${response.status}` };
    } catch (error) {
      return { kind: "missed", problem: `the SMS webhook did not answer (${codeOf(error)})` };
    }
  };
}

function signatureOf(key: string, timestamp: string, body: string): string {
  return createHmac("sha256", key).update(`${timestamp}.${body}`).digest("hex");
}

/** What is about the message; other refusals are about the moment or what operators can mend. */
function isFinal(status: number): boolean {
  return [400, 410, 413, 422].includes(status);
}

/** Whether a text is a URL that messages can be posted to. */
export function isWebhookUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username === "" && password === "" && hash === "";
}
