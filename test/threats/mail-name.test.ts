import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { findDestination, readAsking } from "../../src/domain/user/credential/delivery.ts";
import type { UserState } from "../../src/domain/user/state/user.ts";
import { compose } from "../../src/notify/message/compose.ts";
import {
  happen,
  importPerson,
  type NotifyPlace,
  notifyPlace,
  plainBrand,
  publicUrl,
  startMs,
} from "../notify/place.ts";

// One who may create people chooses what they are called, and the mail comes from the service.

let place: NotifyPlace;

beforeEach(async () => {
  place = await notifyPlace();
});
afterEach(() => place.remove());

/** What mail programs make links of: anything with a scheme, `www.`, a dot inside or an `@`. */
const linked = /\S*(?::\/\/|www\.\S|[\p{L}\p{N}][.\u3002\uff0e\uff61]\p{L}|\S@\S)\S*/giu;

/** And a number that can be dialled; a code may look like one, but nobody chooses a code. */
const dialled = /\p{Nd}(?:[ ().-]*\p{Nd}){5}/u;

const names = [
  ["Your account was locked: http://evil.example/login"],
  ["www.evil.example"],
  ["evil.example"],
  ["evil\u3002example"],
  ["evil\u200b.example"],
  ["https:evil.example"],
  ["help@evil.example"],
  ["Your account was locked: call +41 900 123 456"],
  ["0900-12 34 56"],
] as const;

/** The mail that waits for a person of a name, and the links in its text. */
async function mailTo(userId: string) {
  const [leased] = await place.store.leaseMessages({ nowMs: startMs, leaseMs: 1_000, limit: 1 });
  const [stored] = await place.store.load([`user-${userId}`]);
  const user = JSON.parse(stored?.state ?? "") as UserState;
  const { event, field } = leased!;
  const asked = readAsking(event);
  const destination = findDestination(user, asked, startMs)!;
  const about = { user, organization: "Analytical Engines", brand: plainBrand };
  const order = { event, field, ...about, destination, asked };
  const mail = compose(order, { keyring: place.keyring, publicUrl: () => publicUrl });
  return { mail, links: mail.text.match(linked) ?? [] };
}

/** Expects that nothing but the link of the mail can be followed or dialled. */
function expectOneLink({ mail, links }: Awaited<ReturnType<typeof mailTo>>, page: string): void {
  expect(mail.text.split("\n", 1)[0]).not.toMatch(dialled);
  expect(links).toHaveLength(1);
  expect(links[0]).toMatch(new RegExp(`^${publicUrl}${page}`));
  const [, body = ""] = /<body[^>]*>(.*)<\/body>/s.exec(mail.html ?? "") ?? [];
  const shown = body.replaceAll(/<[^>]*>/g, "").replaceAll("&amp;", "&");
  expect(shown.match(linked) ?? []).toEqual(links);
}

test.each(names)(
  "a mail to somebody called %j has one link, which is ours",
  async (displayName) => {
    const userId = await importPerson(place, { displayName });
    expectOneLink(await mailTo(userId), "/ui/initialize");
  },
);

test.each(names)(
  "a notice to somebody called %j has one link, which is ours",
  async (displayName) => {
    const userId = await importPerson(place, { displayName, mail: false });
    await happen(place.execute, userId, { type: "user.human.email.verified", payload: {} });
    await happen(place.execute, userId, {
      type: "user.human.notice.added",
      payload: { about: "email.changed", to: "before@example.com" },
    });
    expectOneLink(await mailTo(userId), "/account$");
  },
);
