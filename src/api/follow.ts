import type { Feed, Followed } from "../store/feed.ts";
import type { EventPage } from "../store/query.ts";
import type { Store } from "../store/store.ts";
import { refuse } from "./call.ts";
import { isThere, markOf, readResumeToken, resumeTokenAt } from "./resume-token.ts";

/** Reads the log from a place on, page after page, and never past a change of its history. */
export interface Follower {
  /** The position behind which the next page begins. */
  after(): bigint;
  /** The token for that place; empty where the log has not come so far. */
  token(): string;
  /**
   * What follows: where it `isHeld`, its events are the same objects for all who follow. Undefined
   * if its events are not wanted: then the place stays. Throws `Refused` if the log no longer
   * contains what was read of it.
   */
  next(
    query: Omit<Followed, "after">,
    isWanted?: (events: EventPage["events"]) => boolean,
  ): Promise<FollowedPage | undefined>;
}

/** A page of events that follow each other. */
export interface FollowedPage extends EventPage {
  readonly isHeld: boolean;
}

/** The parts of a service that read the log. */
export interface Log {
  readonly store: Pick<Store, "search" | "linkAt">;
  readonly feed: Pick<Feed, "search" | "linkAt">;
}

/**
 * Follows the log from the place of a resume token on, or else from behind a position. Throws
 * `Refused` where the log has lost the place.
 */
export async function followFrom(
  { store, feed }: Log,
  begin: { readonly resumeToken: string; readonly position: bigint },
): Promise<Follower> {
  const token = readResumeToken(begin.resumeToken);
  let after = token?.position ?? begin.position;
  let mark = token?.mark;

  /** Sees to it that the log has at the place what it had when that was read. */
  function assertThere(link: Uint8Array | undefined): void {
    if (mark === undefined) mark = link && markOf(link);
    else if (!isThere(mark, link)) refuse("RESUME_TOKEN_OUTDATED");
  }

  function goOn({ through, events }: EventPage, link: Uint8Array | undefined): void {
    const last = events.at(-1);
    const found = last?.position === through ? last.link : link;
    after = through;
    mark = found && markOf(found);
  }

  assertThere(await store.linkAt(after));
  return {
    after: () => after,
    token: () => (mark === undefined ? "" : resumeTokenAt(after, mark)),
    async next(query, isWanted = () => true) {
      const held = feed.search({ ...query, after });
      if (held !== undefined) {
        if (!isWanted(held.events)) return undefined;
        assertThere(feed.linkAt(after));
        goOn(held, feed.linkAt(held.through));
        return { ...held, isHeld: true };
      }
      const page = await store.search({ ...query, after });
      if (!isWanted(page.events)) return undefined;
      const link = await store.linkAt(page.through);
      // After the page, which is of this history or of the one before it.
      assertThere(await store.linkAt(after));
      goOn(page, link);
      return { ...page, isHeld: false };
    },
  };
}
