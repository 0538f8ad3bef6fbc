import type { Service } from "../service.ts";
import { readPage } from "./personal-data.ts";

/** The person whose data is read. */
interface Whose {
  readonly userId: string;
  readonly organization: string;
}

/**
 * Begins to read all that is kept of a person, as the pieces of one JSON document with the members
 * that GetPersonalData has. Rejects before the first piece with `Refused` where it was read too
 * often in a day.
 */
export async function openPersonalFile(
  service: Service,
  { userId, organization }: Whose,
): Promise<AsyncIterable<string>> {
  // Who goes is noticed between two pages.
  const asker = { name: organization, signal: new AbortController().signal };
  const first = await readPage(service, { userId, after: 0n, asker });
  return (async function* pieces() {
    yield `${JSON.stringify(first.begin).slice(0, -1)},"events":[`;
    let [page, separator] = [first, ""];
    for (;;) {
      for (const event of page.events) {
        yield `${separator}${JSON.stringify(event)}\n`;
        separator = ",";
      }
      if (page.next === undefined) break;
      page = await readPage(service, { userId, after: page.next, asker });
    }
    yield "]}\n";
  })();
}
