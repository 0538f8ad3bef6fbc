import { expect, it } from "@jest/globals";
import { attachmentDigest } from "../../../src/store/attachment.ts";
import { appendLimits } from "../../../src/store/store.ts";
import { append, change } from "../fixture.ts";
import type { Open } from "./place.ts";

/** What is kept of the bytes that events name. */
export function attachmentCases(open: Open): void {
  const [one, other] = [Buffer.from("one"), Buffer.from([0, 1, 255])];

  it("keeps the bytes that an event names, once, for each store on the log", async () => {
    const store = await open();
    await store.append(append([naming("thing-1", 0, one)], { attachments: [one] }));
    await store.append(append([naming("thing-2", 0, one)], { attachments: [one] }));
    await store.append(append([naming("thing-1", 1, other)], { attachments: [other] }));
    const found = await open();
    expect(Buffer.from((await found.attachment(attachmentDigest(one)))!)).toEqual(one);
    expect(Buffer.from((await found.attachment(attachmentDigest(other)))!)).toEqual(other);
    expect(await found.attachment("0".repeat(64))).toBeUndefined();
  });

  it("keeps them where the object is gone", async () => {
    const store = await open();
    await store.append(append([naming("thing-1", 0, one)], { attachments: [one] }));
    const removed = { state: undefined, row: undefined };
    await store.append(append([change("thing-1", 1, removed)]));
    expect(await store.attachment(attachmentDigest(one))).toBeDefined();
  });

  it("keeps none of an append that is refused, and those of its neighbours", async () => {
    const store = await open();
    await store.append(append([change("thing-1", 0)]));
    const results = await Promise.all([
      store.append(append([naming("thing-1", 0, one)], { attachments: [one] })),
      store.append(append([naming("thing-2", 0, other)], { attachments: [other] })),
    ]);
    expect(results.map(({ kind }) => kind)).toEqual(["version-conflict", "appended"]);
    expect(await store.attachment(attachmentDigest(one))).toBeUndefined();
    expect(await store.attachment(attachmentDigest(other))).toBeDefined();
  });

  it("refuses an append that brings others than its events name", async () => {
    const store = await open();
    const attempts = [
      append([naming("thing-1", 0, one)]),
      append([naming("thing-1", 0, one)], { attachments: [other] }),
      append([naming("thing-1", 0, one)], { attachments: [one, other] }),
      append([naming("thing-1", 0, one)], { attachments: [one, one] }),
      append([change("thing-1", 0)], { attachments: [one] }),
    ];
    for (const attempt of attempts) {
      await expect(store.append(attempt)).rejects.toThrow("An append must bring the attachments");
    }
    expect(await store.attachment(attachmentDigest(one))).toBeUndefined();
  });

  it("takes bytes up to the limit, and no more", async () => {
    const store = await open();
    const most = Buffer.alloc(appendLimits.textBytes, 1);
    const more = Buffer.alloc(appendLimits.textBytes + 1, 1);
    await store.append(append([naming("thing-1", 0, most)], { attachments: [most] }));
    await expect(
      store.append(append([naming("thing-1", 1, more)], { attachments: [more] })),
    ).rejects.toThrow(RangeError);
  });
}

/** A change whose event names bytes. */
function naming(stream: string, expected: number, bytes: Uint8Array) {
  const payload = JSON.stringify({ sha256: attachmentDigest(bytes) });
  return change(stream, expected, { events: [{ type: "thing.image.set", payload }] });
}
