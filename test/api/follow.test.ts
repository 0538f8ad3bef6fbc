import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { followFrom } from "../../src/api/follow.ts";
import { createFeed } from "../../src/store/feed.ts";
import type { Store } from "../../src/store/store.ts";
import { append, change, eventsOf } from "../store/fixture.ts";
import { type SqlitePlace, sqlitePlace } from "../store/sqlite-place.ts";

// A standby that took over may lack the end of the log, and others may have written in its place:
// one who has followed it further is told, and skips nothing.

const places: SqlitePlace[] = [];
let now: Store;
let other: Store;
/** The log that nodes reach at the moment. */
const store: Pick<Store, "search" | "linkAt" | "head"> = {
  search: (query) => now.search(query),
  linkAt: (position) => now.linkAt(position),
  head: () => now.head(),
};

beforeEach(async () => {
  places.push(await sqlitePlace(), await sqlitePlace());
  [now, other] = (await Promise.all(places.map((place) => place.open()))) as [Store, Store];
  for (const each of [now, other]) await write(each, "thing-1", "thing-2");
});
afterEach(async () => {
  for (const place of places.splice(0)) await place.remove();
});

async function write(to: Store, ...streams: readonly string[]): Promise<void> {
  for (const stream of streams) eventsOf(await to.append(append([change(stream, 0)])));
}

const outdated = { rejection: { reason: "RESUME_TOKEN_OUTDATED" } };
const begin = { resumeToken: "", position: 0n };

describe.each(["from the store", "from the feed"])("what is read %s", (where) => {
  async function follow() {
    const feed = createFeed(store);
    const over = new AbortController();
    /** What was written behind a position is there to be read. */
    const news = async (position: bigint) => {
      if (where === "from the feed") await feed.beyond(position, 60_000, over.signal);
    };
    await news(0n);
    return { feed, news, follower: await followFrom({ store, feed }, begin) };
  }

  test("goes on behind each page, by the token as well", async () => {
    const { feed, news, follower } = await follow();
    const positions: bigint[] = [];
    for (const _ of ["a page", "another"]) {
      const { events = [] } = (await follower.next({ limit: 1 })) ?? {};
      positions.push(...events.map(({ position }) => position));
    }
    const resumed = await followFrom({ store, feed }, { ...begin, resumeToken: follower.token() });
    await write(now, "thing-3");
    await news(2n);
    positions.push(
      ...((await resumed.next({ limit: 9 }))?.events ?? []).map(({ position }) => position),
    );
    expect(positions).toEqual([1n, 2n, 3n]);
  });

  test("is refused where the log is another behind the last page", async () => {
    const { news, follower } = await follow();
    expect((await follower.next({ limit: 2 }))?.events).toHaveLength(2);
    await write(other, "thing-3", "thing-4");
    now = other;
    await news(2n);
    await expect(follower.next({ limit: 2 })).rejects.toMatchObject(outdated);
  });

  test("is refused where what did not match is another", async () => {
    const { news, follower } = await follow();
    expect(await follower.next({ limit: 2, kinds: ["user"] })).toMatchObject({ through: 2n });
    await write(other, "thing-3", "user-4");
    now = other;
    await news(2n);
    await expect(follower.next({ limit: 2, kinds: ["user"] })).rejects.toMatchObject(outdated);
  });
});
