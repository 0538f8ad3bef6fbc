import { afterEach, beforeEach, describe, expect } from "@jest/globals";
import { findDestination, readAsking } from "../../src/domain/user/credential/delivery.ts";
import type { UserState } from "../../src/domain/user/state/user.ts";
import { compose } from "../../src/notify/message/compose.ts";
import { few } from "../harness/in-full.ts";
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

/** The mail about an address that a person requests. */
async function requestMail(preferredLanguage: string) {
  const userId = await importPerson(place, { preferredLanguage, mail: false });
  const { store, keyring } = place;
  const code = keyring.seal("AB2CD3", { stream: `user-${userId}`, field: "email.request.code" });
  const payload = { email: "lovelace@example.com", code, sessionId: "here", resets: 0 };
  await happen(place.execute, userId, { type: "user.human.email.requested", payload });
  const [leased] = await store.leaseMessages({ nowMs: startMs, leaseMs: 1_000, limit: 9 });
  const [stored] = await store.load([`user-${userId}`]);
  const user = JSON.parse(stored?.state ?? "") as UserState;
  const asked = readAsking(leased!.event);
  const destination = findDestination(user, asked, startMs)!;
  const order = {
    ...leased!,
    asked,
    destination,
    user,
    organization: "Analytical Engines",
    brand: plainBrand,
  };
  return compose(order, { keyring, publicUrl: () => publicUrl });
}

// One who has an account there need not be who requested the address for one.
describe("the mail about a requested address", () => {
  few(2).each([
    ["en", "Confirm your new email address", "someone, probably you"],
    ["de", "Bestätigen Sie Ihre neue E-Mail-Adresse", "jemand, vermutlich Sie"],
    ["fr", "Confirmez votre nouvelle adresse e-mail", "quelqu’un, sans doute vous"],
    ["es", "Confirme su nueva dirección de correo", "Alguien, probablemente usted"],
    ["it", "Confermi il Suo nuovo indirizzo e-mail", "qualcuno, probabilmente Lei"],
    ["ja", "新しいメールアドレスを確認してください", "ご本人による依頼と思われます"],
    ["ar", "تأكيد بريدك الإلكتروني الجديد", "شخص ما، وهو أنت على الأرجح"],
  ])("in %s says that it is of one who may be another", async (language, title, who) => {
    const { to, subject, text } = await requestMail(language);
    expect([to, subject]).toEqual(["lovelace@example.com", title]);
    for (const shown of [who, "Analytical Engines", "AB2CD3", `${publicUrl}/ui/email/verify?`]) {
      expect(text).toContain(shown);
    }
  });
});
