import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { UserEvent } from "../domain/user/state/event.ts";
import { appendLines, readLines } from "../file.ts";
import { anchorTimeoutMs, successOf, webhookAt } from "./head-places.ts";

/** Somewhere outside of the log where a list is kept of who was erased, which only grows. */
export interface ErasurePlace {
  /** What operators call it. */
  readonly name: string;
  /** Whether it is a file, which an erasure waits for. */
  readonly isFile: boolean;
  /** Its lines; undefined where there is no list. Rejects as `add` does. */
  read(): Promise<string | undefined>;
  /** Adds lines. Rejects with an error whose message names no secret. */
  add(lines: readonly string[]): Promise<void>;
}

/** The type of the event by which a person is erased, who is then listed. */
export const erasingPeople = "user.erased" satisfies UserEvent["type"];

/** The list in the data directory. */
export const erasureFile = "iam.erasures";

/** Bytes of a webhook's list that are looked at: about 250,000 people. */
export const erasureAnswerBytesMax = 64 * 1024 * 1024;

/** The type of entries that are posted to a webhook, and of the list that it is asked for. */
export const erasureType = "application/x-ndjson";

/** Where the lists of a log are: in its data directory, and at its anchor. */
export function erasurePlacesOf(
  anchorUrl: string,
  dataDir: string,
  bytesMax = erasureAnswerBytesMax,
): readonly ErasurePlace[] {
  const own = fileOfErasures(join(dataDir, erasureFile), erasureFile);
  if (anchorUrl === "") return [own];
  const name = "the anchor";
  const isFile = new URL(anchorUrl).protocol === "file:";
  if (!isFile) return [own, webhookOfErasures(anchorUrl, name, bytesMax)];
  return [own, fileOfErasures(`${fileURLToPath(anchorUrl)}.erasures`, name)];
}

function fileOfErasures(path: string, name: string): ErasurePlace {
  return {
    name,
    isFile: true,
    read: () => readLines(path),
    add: (lines) => appendLines(path, lines),
  };
}

function webhookOfErasures(url: string, name: string, bytesMax: number): ErasurePlace {
  const ask = webhookAt(url, { timeoutMs: anchorTimeoutMs, bytesMax });
  return {
    name,
    isFile: false,
    read: async () => {
      const { isOk, type, text, isCut } = await ask({ headers: { accept: erasureType } });
      // One that keeps no list refuses, or answers with its head.
      if (!isOk || !type.startsWith(erasureType)) return undefined;
      if (isCut) throw new Error("its list is too long");
      return text;
    },
    add: async (lines) => {
      const headers = { "content-type": erasureType };
      for (const body of lines) successOf(await ask({ method: "POST", headers, body }));
    },
  };
}
