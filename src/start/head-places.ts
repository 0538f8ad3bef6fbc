import { fileURLToPath } from "node:url";
import { type FileUnusable, readIfThere, replace } from "../file.ts";
import type { RandomBytes } from "../secrets/tokens.ts";

/** Somewhere outside of the log where it is kept where the log ends. */
export interface HeadPlace {
  /** What operators call it. */
  readonly name: string;
  /** What was written there last; undefined where there is nothing, or it cannot be asked. */
  read(): Promise<string | undefined>;
  /** Rejects with an error whose message names no secret. */
  write(text: string): Promise<void>;
  /** Whether others write there who do not know of each other, so that it has to be read again. */
  readonly isShared: boolean;
}

/** The file of the head in the data directory. */
export const headFile = "iam.head";

/** Milliseconds that an anchor may take to answer. */
export const anchorTimeoutMs = 10_000;

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
export function anchorOf(url: string, random: RandomBytes): HeadPlace {
  const name = "the anchor";
  if (new URL(url).protocol === "file:") return fileOfHead(fileURLToPath(url), name, random);
  const ask = async (options: RequestInit) => {
    const signal = AbortSignal.timeout(anchorTimeoutMs);
    const response = await fetch(url, { ...options, redirect: "manual", signal });
    return { isOk: response.ok, status: response.status, text: await textOf(response) };
  };
  return {
    name,
    isShared: false,
    read: async () => {
      const { isOk, text } = await ask({}).catch(() => ({ isOk: false, text: "" }));
      return isOk ? text : undefined;
    },
    write: async (text) => {
      const headers = { "content-type": "application/json" };
      const { isOk, status } = await ask({ method: "POST", headers, body: text }).catch(() => {
        throw new Error("it does not answer");
      });
      if (!isOk) throw new Error(`it answered ${status}`);
    },
  };
}

/** Bytes of an answer that are looked at; a head has a few hundred. */
const answerBytesMax = 4_096;

async function textOf({ body }: Response): Promise<string> {
  let text = "";
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString("latin1");
    // Breaking off ends the connection.
    if (text.length > answerBytesMax) return "";
  }
  return text;
}

/** Why a head was not written, without what a URL may hold. */
export function problemOf(error: unknown): string {
  return error instanceof Error ? (error as FileUnusable | Error).message : String(error);
}
