import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { AddPasswordlessRegistrationResponse } from "../../gen/iam/management/v1/invitation_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { callingOf, wrong } from "../cases/phones.ts";
import { granted } from "../cases/stored.ts";
import { createClients, type TestClient } from "../harness/clients.ts";
import { formOf, type Site, startSite } from "../pages/site.ts";

// One who knows the id of a person takes no code away by addresses that others open.

let site: Site;
let client: TestClient;

beforeAll(async () => {
  site = await startSite();
  client = createClients(site.server.url)[0]!;
});

afterAll(async () => {
  client.close();
  await site.close();
});

const password = "correct horse battery";
const { addPasswordlessRegistration, resendHumanInitialization } = ManagementService.method;

/** Opens the address six times, as a picture in a page would have browsers do. */
async function open(path: string, method: "GET" | "HEAD"): Promise<void> {
  for (let nth = 0; nth < 6; nth += 1) {
    const response = await fetch(site.server.url + path, { method });
    await response.body?.cancel();
  }
}

describe.each(["GET", "HEAD"] as const)("%s of a link with a wrong code", (method) => {
  test.each([
    ["that is typed", "AAAAAA"],
    ["of links", "0".repeat(32)],
    ["longer than any", "A".repeat(300)],
  ])("%s leaves the right one good", async (_, code) => {
    const { userId, link } = await site.givenPerson();
    const before = await site.typesOf(userId);
    await open(`/ui/initialize?userID=${userId}&code=${code}`, method);
    expect(await site.typesOf(userId)).toEqual(before);
    const done = await site.send(await site.open(link), { password });
    expect(done.heading).toBe("Your account is ready");
  });

  test("for a passkey leaves the right one good", async () => {
    const { userId, passkeyLink } = await site.givenPerson({
      requestPasswordlessRegistration: true,
    });
    const before = await site.typesOf(userId);
    await open(`${passkeyLink}x`, method);
    expect(await site.typesOf(userId)).toEqual(before);
    expect(await site.open(passkeyLink)).toMatchObject({ status: 200 });
  });
});

describe("a code that was taken away by forms that were sent", () => {
  const typesOf = async (userId: string, after: number) =>
    (await site.typesOf(userId)).slice(after);

  test("is replaced by that of another mail", async () => {
    const { userId, code } = await site.givenPerson();
    const asked = await site.open(`/ui/initialize?userID=${userId}`);
    for (let nth = 0; nth < 5; nth += 1) await site.send(asked, { code: wrong(code, nth) });
    expect((await site.send(asked, { code })).status).toBe(400);
    const before = (await site.typesOf(userId)).length;

    const world = callingOf(site.server, client);
    expect(await world.call(resendHumanInitialization, { userId })).toMatchObject({ ok: true });
    expect(await typesOf(userId, before)).toEqual(["user.human.initialization.code.added"]);
    expect((await site.send(asked, { code })).status).toBe(400);
    const [stored] = await site.server.store.load([`user-${userId}`]);
    const { human } = JSON.parse(stored?.state ?? "{}");
    const place = { stream: `user-${userId}`, field: "initialization.code" };
    const fresh = site.server.keyring.open(human.initialization.code, place);
    const page = await site.send(asked, { code: fresh });
    expect(formOf(page).hidden).toMatchObject({ step: "account", code: fresh });
  });

  test("of a passkey is replaced by that of another link", async () => {
    const { userId } = await site.givenPerson();
    const world = callingOf(site.server, client);
    const answer = await world.call(addPasswordlessRegistration, { userId });
    const { link } = granted<AddPasswordlessRegistrationResponse>(answer);
    const { pathname, search } = new URL(link);
    expect(await site.open(pathname + search)).toMatchObject({ status: 200 });
  });
});
