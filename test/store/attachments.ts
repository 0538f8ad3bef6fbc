import { expect, it } from "@jest/globals";
import { fill } from "../../src/log/fill.ts";
import { attachmentDigest } from "../../src/store/attachment.ts";
import type { BroughtEvent } from "../../src/store/chain/chain.ts";
import { Forged } from "../../src/store/chain/forged.ts";
import { eventLine, eventOfLine } from "../../src/store/chain/line.ts";
import type { Filling } from "../../src/store/filling.ts";
import type { ReadLog } from "../../src/store/read-log.ts";
import type { Store } from "../../src/store/store.ts";
import { record, things } from "./fixture.ts";
import { sealing } from "./keys.ts";

/** A store on a log, with those who look at it and change it past the store. */
export interface AttachmentPlace {
  open(): Promise<Store>;
  damage(sql: string): Promise<void>;
  verify(): Promise<readonly string[]>;
  rebuild(): Promise<unknown>;
  read(): Promise<ReadLog>;
  /** Begins to fill another place. */
  fill(id: string): Promise<Filling>;
  /** The lines about that place, and a store there. */
  verifyFilled(): Promise<readonly string[]>;
  openFilled(): Promise<Store>;
}

/** Bytes that an event names, and those that somebody puts in their place. */
const [image, other] = [Buffer.from("an image"), Buffer.from("another")];
const digest = attachmentDigest(image);

/** The events of a log. */
async function all(events: AsyncIterable<BroughtEvent>): Promise<readonly BroughtEvent[]> {
  const found: BroughtEvent[] = [];
  for await (const event of events) found.push(event);
  return found;
}

/** What is found of bytes that lie beside a log, by who verifies, reads or copies it. */
export function attachmentDamages(place: () => AttachmentPlace, hex: (bytes: Buffer) => string) {
  const names = "but the event at position 1, version 1 of thing-1 names it";
  const write = async () => {
    const store = await place().open();
    const named = { name: "Alpha", sha256: digest };
    await record(store, "thing-1", [["image.set", named]], { attachments: [image] });
    await record(store, "thing-2", [["added", { name: "Beta" }]]);
    return store;
  };

  it.each([
    ["nothing", "SELECT 1", []],
    ["one taken away", "DELETE FROM attachments", [`${digest}: it is missing, ${names}`]],
    [
      "other bytes",
      `UPDATE attachments SET bytes = ${hex(other)}`,
      [`${digest}: it is not what was appended (its hash)`],
    ],
    [
      "one added",
      `INSERT INTO attachments VALUES (${hex(Buffer.from(attachmentDigest(other), "hex"))}, ${hex(other)})`,
      [`${attachmentDigest(other)}: no event names it`],
    ],
    [
      "another name",
      `UPDATE attachments SET digest = ${hex(Buffer.alloc(32))}`,
      [
        `${digest}: it is missing, ${names}`,
        `${"0".repeat(64)}: it is not what was appended (its hash)`,
        `${"0".repeat(64)}: no event names it`,
      ],
    ],
  ])("%s is named, and no rebuild mends it", async (_, sql, lines) => {
    await (await write()).close();
    await place().damage(sql);
    const expected = lines.map((line) => `attachment ${line}`).sort();
    expect([...(await place().verify())].sort()).toEqual(expected);
    await place().rebuild();
    expect([...(await place().verify())].sort()).toEqual(expected);
  });

  it("nobody is given other bytes", async () => {
    const store = await write();
    await place().damage(`UPDATE attachments SET bytes = ${hex(other)}`);
    await expect(store.attachment(digest)).rejects.toThrow(Forged);
    const log = await place().read();
    await expect(all(log.after(0n))).rejects.toThrow(Forged);
    await log.close();
  });

  it("a log that lacks the bytes is not read to its end", async () => {
    await (await write()).close();
    await place().damage("DELETE FROM attachments");
    const log = await place().read();
    await expect(all(log.after(0n))).rejects.toThrow(
      "the bytes that the event at position 1 names are missing: run verify for more",
    );
    await log.close();
  });

  it("an event is brought to another place with them, by itself and as a line", async () => {
    await (await write()).close();
    const source = await place().read();
    const [event] = await all(source.after(0n));
    expect(Buffer.from(event!.attached!)).toEqual(image);
    const line = JSON.parse(eventLine(event!));
    expect(Buffer.from(eventOfLine(JSON.stringify(line))!.attached!)).toEqual(image);
    const { attached: _, ...without } = line;
    for (const wrong of [without, { ...line, attached: "AAAA" }]) {
      expect(eventOfLine(JSON.stringify(wrong))).toBeUndefined();
    }

    const filling = await place().fill(source.id);
    const asking = { projector: things(), asking: () => [] };
    const finishing = { ...sealing, ...asking } as unknown as Parameters<
      typeof fill
    >[0]["finishing"];
    await fill({ source, filling, name: "there", finishing });
    await filling.close();
    await source.close();
    expect(await place().verifyFilled()).toEqual([]);
    const store = await place().openFilled();
    expect(Buffer.from((await store.attachment(digest))!)).toEqual(image);
  });
}
