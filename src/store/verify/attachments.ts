import type { RecordedEvent } from "../../event.ts";
import { attachedTo } from "../attachment.ts";
import { hex } from "../chain/hash.ts";
import { nameOf } from "./chain.ts";
import { type LogReader, walkRows } from "./reader.ts";
import type { Report } from "./text.ts";

/**
 * Compares the bytes that lie beside a log with what its events name. Begins with the bytes that
 * are there, each of which must have its hash. What others append while events are looked at is
 * there afterwards, and was not before: so nothing is said of it.
 */
export async function walkAttachments(reader: LogReader, report: Report) {
  const there = await digestsIn(reader, (digest) =>
    report(`attachment ${digest}: it is not what was appended (its hash)`),
  );
  const named = new Map<string, RecordedEvent>();
  return {
    /** Is told of each event. */
    look: (event: RecordedEvent) => {
      const digest = attachedTo(event);
      if (digest !== undefined) named.set(digest, event);
    },
    /** Says what is missing, and what no event names, once all events were looked at. */
    end: async () => {
      const lacks = [...named].filter(([digest]) => !there.has(digest));
      const now = lacks.length === 0 ? there : await digestsIn(reader, () => {});
      for (const [digest, event] of lacks) {
        if (now.has(digest)) continue;
        report(`attachment ${digest}: it is missing, but the ${nameOf(event)} names it`);
      }
      for (const digest of there) {
        if (!named.has(digest)) report(`attachment ${digest}: no event names it`);
      }
    },
  };
}

/** The hashes by which bytes are kept. Tells of each that is not the hash of its bytes. */
async function digestsIn(
  reader: LogReader,
  differs: (digest: string) => void,
): Promise<ReadonlySet<string>> {
  const digests = new Set<string>();
  await walkRows(reader, "attachments", (rows) => {
    for (const { digest, found } of rows) {
      const name = hex(digest);
      digests.add(name);
      if (hex(found) !== name) differs(name);
    }
  });
  return digests;
}
