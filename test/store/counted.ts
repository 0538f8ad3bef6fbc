import { expect } from "@jest/globals";
import { answerLimits } from "../../src/store/answer.ts";
import type { Store } from "../../src/store/store.ts";
import { append, change, eventsOf, timeMs } from "./fixture.ts";

/** The bytes of what is remembered of an append. */
type Sizes = readonly [request: number, answer: number, secret?: number];

/** Sees that a store, which remembers five answers of a caller, counts large ones several times. */
export async function expectCounted(store: Store): Promise<void> {
  const keys: string[] = [];
  /** Has answers remembered in one transaction; resolves to the keys that are known then. */
  const keep = async (answers: { readonly [key: string]: Sizes }) => {
    keys.push(...Object.keys(answers));
    const written = Object.entries(answers).map(([key, [request, answer, secret]]) => {
      const bytes = { request: Buffer.alloc(request), answer: Buffer.alloc(answer) };
      const remember = { key, ...bytes, secret: secret ? Buffer.alloc(secret) : undefined };
      return store.append(append([change(`thing-${key}`, 0)], { actor: "user-1", remember }));
    });
    for (const each of written) eventsOf(await each);
    const found = await Promise.all(keys.map((key) => store.recall(key, timeMs)));
    return keys.filter((_, i) => found[i] !== undefined).join("");
  };
  const most = answerLimits.countedBytes;
  expect(await keep({ a: [0, 0], b: [32, most - 32], c: [32, most - 33, 1] })).toBe("abc");
  // One byte more than one counts for, each in another part.
  expect(await keep({ d: [32, most - 31] })).toBe("abcd");
  expect(await keep({ e: [33, most - 32] })).toBe("cde");
  expect(await keep({ f: [32, most - 32, 1], g: [32, 32] })).toBe("efg");
  expect(await keep({ h: [0, 9 * most], i: [0, 0] })).toBe("hi");
}
