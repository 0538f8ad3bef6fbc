import { expect } from "@jest/globals";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { few } from "../harness/in-full.ts";
import { findPostgres } from "../harness/postgres-programs.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { callsTo } from "../start/database-place.ts";
import { happen } from "./users.ts";

// All that can be kept of a person, each with a text of its own; of none of it anything is left.

const users = "/management/v1/users";

/** Makes texts that nothing else has, and remembers them. */
function createMarkers() {
  const all: string[] = [];
  const next = (before = "", after = "") => {
    const marker = `Planted-${all.length + 100}-Marker`;
    all.push(marker);
    return `${before}${marker}${after}`;
  };
  return { all, next };
}

type Next = ReturnType<typeof createMarkers>["next"];

/** What callers have a person say of themselves. */
async function live({ url, admin }: TestServer, next: Next): Promise<string> {
  const { post } = callsTo(url, admin.token);
  const send = async (path: string, body: object, method = "POST") => {
    const headers = {
      authorization: `Bearer ${admin.token}`,
      "content-type": "application/json",
    };
    const response = await fetch(`${url}${users}${path}`, {
      ...{ method, headers },
      body: JSON.stringify(body),
    });
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
  };
  const names = () => ({
    ...{ firstName: next(), lastName: next(), nickName: next(), displayName: next() },
  });
  const imported = await post(`${users}/human/_import`, {
    ...{ userName: next(), profile: names(), password: "correct horse battery" },
    email: { email: next("", "@example.com"), isEmailVerified: true },
    phone: { phone: "+41446681800", isPhoneVerified: false },
  });
  const { userId } = JSON.parse(imported.text) as { readonly userId: string };
  await send(`/${userId}/profile`, names(), "PUT");
  await send(`/${userId}/username`, { userName: next() }, "PUT");
  await send(`/${userId}/email`, { email: next("", "@example.com") }, "PUT");
  for (let key = 0; key < 11; key += 1) {
    const value = Buffer.from(next()).toString("base64");
    await send(`/${userId}/metadata/${next()}`, { value });
  }
  await send(`/${userId}/pats`, {});
  return userId;
}

/** What a person leaves behind who logs in, and what else there is. */
function logins(next: Next): readonly UserEvent[] {
  const hashed = "a".repeat(64);
  const begun = (): UserEvent => ({
    type: "user.human.session.begun",
    payload: {
      ...{ sessionId: next(), clientId: next(), factors: ["password"], browser: next() },
      network: next(),
    },
  });
  const [credentialId, publicKey, name, codeId] = [next(), next(), next(), next()];
  const used = next();
  return [
    {
      type: "user.human.externalidp.added",
      // The provider is not the person's.
      payload: { idpId: "provider", externalUserId: next(), displayName: next() },
    },
    { type: "user.human.otp.added", payload: { secret: next() } },
    { type: "user.human.recovery_codes.set", payload: { hashes: [used, next()] } },
    { type: "user.human.recovery_code.used", payload: { hash: used } },
    {
      type: "user.human.passwordless.token.added",
      payload: { credentialId, publicKey, name, codeId, counter: 0, transports: [next()] },
    },
    { type: "user.human.login.failed", payload: { factor: "password", network: next() } },
    { type: "user.human.locked", payload: { untilMs: 1, network: next() } },
    ...[begun(), begun(), begun()],
    { type: "user.human.consent.given", payload: { clientId: next(), consentId: next() } },
    { type: "user.human.token.revoked", payload: { clientId: next(), grant: hashed } },
    { type: "user.token.added", payload: { tokenId: next(), tokenHash: next() } },
    { type: "user.human.password.changed", payload: { passwordHash: next() } },
    { type: "user.human.sessions.ended", payload: { count: 1, sessions: [next()] } },
    {
      type: "user.human.email.requested",
      payload: {
        ...{ email: next("", "@example.com"), code: next(), sessionId: next() },
        resets: 0,
      },
    },
    // Two that wait: one that names its address, and one to the address that the person has.
    {
      type: "user.human.notice.added",
      payload: { about: "email.changed", to: next("", "@example.com") },
    },
    { type: "user.human.notice.added", payload: { about: "password.changed" } },
  ];
}

/** Those of the texts that are there, as they are or in base64. */
function foundIn(text: string, markers: readonly string[]): readonly string[] {
  return markers.filter(
    (marker) => text.includes(marker) || text.includes(Buffer.from(marker).toString("base64")),
  );
}

const stores = findPostgres() === undefined ? (["file"] as const) : (["file", "postgres"] as const);

few().each(stores)("of 60 texts about a person none is left in a %s, or in lines", async (kind) => {
  const server = await startServer({ kind });
  try {
    const { all, next } = createMarkers();
    const userId = await live(server, next);
    await happen(server, logins(next), { id: userId });
    expect(all.length).toBeGreaterThanOrEqual(60);
    expect(foundIn(await server.kept(), all).length).toBe(all.length);
    const { post, events } = callsTo(server.url, server.admin.token);
    expect(await post(`${users}/${userId}/_erase`, {})).toMatchObject({ status: 200 });
    expect(foundIn(await server.kept(), all)).toEqual([]);
    expect(foundIn((await events()).text, all)).toEqual([]);
    const query = { nowMs: Date.now() + 365 * 86_400_000, leaseMs: 1, limit: 100 };
    const waiting = await server.store.leaseMessages(query);
    expect(waiting.filter(({ event }) => event.stream === `user-${userId}`)).toEqual([]);
    expect(foundIn(server.logged().join("\n"), all)).toEqual([]);
  } finally {
    await server.close();
  }
});
