import { ConfigError } from "../config/config.ts";
import { type BroughtEvent, isSame } from "../store/chain/chain.ts";
import type { Filling, Finishing } from "../store/filling.ts";
import type { ReadLog } from "../store/read-log.ts";
import { orRefused } from "./maintain.ts";

interface Between {
  /** The log that is read. */
  readonly source: Omit<ReadLog, "close">;
  readonly filling: Filling;
  /** What operators call the place that is filled. */
  readonly name: string;
  readonly finishing: Omit<Finishing, "id">;
}

/** Events that are added at once, and about the bytes of what they say and name. */
const [eventsAtOnce, charactersAtOnce] = [1_000, 4 * 1024 * 1024];

/**
 * Brings the events of a log to a place that has none of them, or some, and makes there what
 * follows from them. Answers how many it brought. Rejects with a ConfigError where that place has
 * another log, or one that does not lead to this one; it stays as it is.
 */
export async function fill({ source, filling, name, finishing }: Between): Promise<number> {
  const { id } = source;
  const { end } = filling;
  const there = end.position === 0n ? undefined : await source.at(end.position);
  const isOfSource = there !== undefined && isSame(there.link, end.link);
  if ((filling.id ?? id) !== id || (end.position > 0n && !isOfSource)) {
    throw new ConfigError(
      `${name} there is another log, or one with more or different events: name an empty target.`,
    );
  }
  let count = 0;
  for await (const page of pagesOf(source.after(end.position))) {
    await orRefused(`${name} cannot be written`, filling.add(page));
    count += page.length;
  }
  if (count > 0 || filling.id === undefined) {
    await orRefused(`${name} cannot be created`, filling.finish({ id, ...finishing }));
  }
  return count;
}

async function* pagesOf(
  events: AsyncIterable<BroughtEvent>,
): AsyncGenerator<readonly BroughtEvent[]> {
  let [page, characters]: [BroughtEvent[], number] = [[], 0];
  for await (const event of events) {
    page.push(event);
    characters += event.payload.length + (event.attached?.byteLength ?? 0);
    if (page.length < eventsAtOnce && characters < charactersAtOnce) continue;
    yield page;
    [page, characters] = [[], 0];
  }
  if (page.length > 0) yield page;
}
