import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { codeFieldOf } from "../../src/domain/user/credential/code.ts";
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
} from "./place.ts";

let place: NotifyPlace;

beforeEach(async () => {
  place = await notifyPlace();
});
afterEach(() => place.remove());

test("the mail about a requested address goes there, with a code and a link for it", async () => {
  const { keyring, store } = place;
  const userId = await importPerson(place, { preferredLanguage: "en", mail: false });
  const sealedField = codeFieldOf("user.human.email.requested", userId);
  const code = keyring.seal("AB2CD3", sealedField);
  const asked = { email: "new@example.com", code, sessionId: "here", resets: 0 };
  await happen(place.execute, userId, { type: "user.human.email.requested", payload: asked });
  const leased = await store.leaseMessages({ nowMs: startMs, leaseMs: 1_000, limit: 9 });
  const [stored] = await store.load([`user-${userId}`]);
  const user = JSON.parse(stored?.state ?? "") as UserState;
  const mails = leased.map(({ event, field }) => {
    const read = readAsking(event);
    const destination = findDestination(user, read, startMs)!;
    const about = { organization: "ACME", brand: plainBrand };
    return compose(
      { event, field, asked: read, user, destination, ...about },
      { keyring, publicUrl: () => publicUrl },
    );
  });
  expect(mails).toMatchObject([{ channel: "email", to: "new@example.com" }]);
  const [{ text = "" } = {}] = mails;
  expect(text.split("AB2CD3")).toHaveLength(2);
  const [link = ""] = text.match(/https?:\S+/g) ?? [];
  expect(link.startsWith(`${publicUrl}/ui/email/verify?`)).toBe(true);
  expect(new URL(link).searchParams.get("code")).toBe(keyring.derive(code, sealedField));
});
