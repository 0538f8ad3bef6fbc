import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FileUnusable, readIfThere, replace } from "../file.ts";
import type { RandomBytes } from "../secrets/tokens.ts";
import { parseHead } from "../store/chain/head.ts";

/** Somewhere outside of the log where it is kept where the log ends. */
export interface HeadPlace {
  /** What operators call it. */
  readonly name: string;
  /**
   * What was written there last; undefined where there is nothing. Rejects, as `write` does, where
   * that cannot be read.
   */
  read(): Promise<string | undefined>;
  /** Rejects with an error whose message names no secret. */
  write(text: string): Promise<void>;
  /** Whether others write there who do not know of each other, so that it has to be read again. */
  readonly isShared: boolean;
}

/** The file of the head in the data directory. */
export const headFile = "iam.head";

/** The file that is locked while heads of a log are written. */
export const headLockFile = "iam.head.lock";

/** Milliseconds that an anchor may take to answer. */
export const anchorTimeoutMs = 10_000;

/** Where heads of a log are kept: in its data directory, and at its anchor. */
export function headPlacesOf(
  anchorUrl: string,
  dataDir: string,
  random: RandomBytes,
): readonly HeadPlace[] {
  const file = fileOfHead(join(dataDir, headFile), headFile, random);
  return anchorUrl === "" ? [file] : [file, anchorOf(anchorUrl, random)];
}

/** A file, which is always whole. */
export function fileOfHead(path: string, name: string, random: RandomBytes): HeadPlace {
  return {
    name,
    isShared: true,
    read: () => readIfThere(path),
    write: (text) => replace(path, `${text}\n`, random),
  };
}

/**
 * The place that an anchor's URL names: a file, or a webhook that heads are posted to. Where the
 * webhook answers a GET with the last head, starts ask for it; the operator chose its address, so
 * that is trusted.
 */
export function anchorOf(
  url: string,
  random: RandomBytes,
  timeoutMs: number = anchorTimeoutMs,
): HeadPlace {
  const name = "the anchor";
  if (new URL(url).protocol === "file:") return fileOfHead(fileURLToPath(url), name, random);
  const ask = webhookAt(url, { timeoutMs, bytesMax: answerBytesMax });
  return {
    name,
    isShared: false,
    read: async () => {
      const { text } = successOf(await ask({}));
      if (text === "") return undefined;
      if (parseHead(text) === undefined) throw new Error("its answer is not a head");
      return text;
    },
    write: async (text) => {
      const headers = { "content-type": "application/json" };
      successOf(await ask({ method: "POST", headers, body: text }));
    },
  };
}

/** What a place holds, or why nothing of it is known. */
export async function readPlace({
  read,
}: Pick<HeadPlace, "read">): Promise<{ readonly text: string } | { readonly why: string }> {
  try {
    const text = await read();
    return text === undefined ? { why: "it is missing or empty" } : { text };
  } catch (error) {
    return { why: problemOf(error) };
  }
}

/** Bytes of an answer that are looked at; a head has a few hundred. */
const answerBytesMax = 4_096;

/** What a webhook answered. */
export interface WebhookReply {
  readonly isOk: boolean;
  readonly status: number;
  readonly type: string;
  /** Cut behind so many bytes. */
  readonly text: string;
  readonly isCut: boolean;
}

/** Makes the function that asks a webhook. It rejects where no answer comes in time. */
export function webhookAt(
  url: string,
  { timeoutMs, bytesMax }: { readonly timeoutMs: number; readonly bytesMax: number },
): (options: RequestInit) => Promise<WebhookReply> {
  return async (options) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = async () => {
      const response = await fetch(url, { ...options, redirect: "manual", signal });
      const type = response.headers.get("content-type") ?? "";
      const text = await textOf(response, bytesMax);
      const isCut = text.length > bytesMax;
      return { isOk: response.ok, status: response.status, type, text, isCut };
    };
    return await answer().catch(() => {
      throw new Error("it does not answer");
    });
  };
}

/** The answer, or an error where it is none of success; its message names no secret. */
export function successOf(answer: WebhookReply): WebhookReply {
  if (answer.isOk) return answer;
  throw new Error(`it answered ${answer.status}`);
}

async function textOf({ body }: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    // Breaking off ends the connection.
    if (bytes > bytesMax) break;
  }
  return Buffer.concat(chunks).toString("latin1");
}

/** Why a place could not be read or written, without what a URL may hold and without paths. */
export function problemOf(error: unknown): string {
  if (error instanceof FileUnusable) return `it ${error.why}`;
  const { message, code, syscall } = error as NodeJS.ErrnoException;
  return syscall === undefined ? message : String(code);
}
