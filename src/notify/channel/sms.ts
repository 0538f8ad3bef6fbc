import { createHmac } from "node:crypto";
import { isLoopback } from "../../text/http-url.ts";
import { nameOf } from "../message/message.ts";
import { nameFailure, type Send } from "./channel.ts";

/** The webhook that sends SMS, and how it is called. */
export interface SmsOptions {
  /** The webhook that sends what it is told. The operator chose it, so its address is trusted. */
  readonly url: string;
  /** The key that both sides sign with. */
  readonly key: string;
  readonly now: () => number;
  readonly timeoutMs?: number;
}

/** Milliseconds that the webhook may take to answer. */
export const smsTimeoutMs = 10_000;

/** Characters of a key; 32 at random are as strong as the hash (SHA-256). */
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
  return async (message, signal) => {
    const { to, text } = message;
    const body = JSON.stringify({ to, text, messageId: nameOf(message) });
    const timestamp = String(Math.floor(now() / 1_000));
    const signature = createHmac("sha256", key).update(`${timestamp}.${body}`).digest("hex");
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-iam-timestamp": timestamp,
          "x-iam-signature": `sha256=${signature}`,
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
      return { kind: "missed", problem: `the SMS webhook did not answer (${nameFailure(error)})` };
    }
  };
}

/** Whether a status is about the message; others are about the moment or what operators mend. */
function isFinal(status: number): boolean {
  return [400, 410, 413, 422].includes(status);
}

/** Whether what is posted to the URL of a webhook is encrypted, or stays on this machine. */
export function isConfidential(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || isLoopback(hostname);
}

/** Whether a text is a URL that messages can be posted to. */
export function isWebhookUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username === "" && password === "" && hash === "";
}
