import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { givenUser } from "../harness/server.ts";
import { statusOfUserinfo } from "./asking.ts";
import {
  addKey,
  askFor,
  assertionOf,
  givenSigner,
  isGoodToken,
  type KeyFile,
  machineToken,
  refusedGrant as refused,
} from "./machines.ts";
import { type Parties, startParties } from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const tokenOf = (file: KeyFile) => machineToken(parties, file);
const isGood = (token: string) => isGoodToken(parties, token);

describe("an assertion in another's name: tokens that came from a key", () => {
  test("end with it, and with no other", async () => {
    const { path, file } = await givenSigner(parties);
    const other = await addKey(parties, path);
    const [first, second] = [await tokenOf(file), await tokenOf(other)];
    await parties.call("DELETE", `${path}/keys/${file.keyId}`);
    expect([await isGood(first), await isGood(second)]).toEqual([false, true]);
    expect(await askFor(parties, await assertionOf(parties, file))).toEqual(refused);
  });

  test("have nothing to do with a secret", async () => {
    const { path, file } = await givenSigner(parties);
    await parties.call("PUT", `${path}/secret`, {});
    const token = await tokenOf(file);
    await parties.call("DELETE", `${path}/secret`);
    expect(await isGood(token)).toBe(true);
  });

  test.each([
    ["deactivated", "_deactivate", "_reactivate"],
    ["locked", "_lock", "_unlock"],
  ])("are none while the machine is %s, which gets no other", async (_, out, back) => {
    const { path, file } = await givenSigner(parties);
    const token = await tokenOf(file);
    await parties.call("POST", `${path}/${out}`, {});
    expect(await isGood(token)).toBe(false);
    expect(await askFor(parties, await assertionOf(parties, file))).toEqual(refused);
    await parties.call("POST", `${path}/${back}`, {});
    expect(await isGood(token)).toBe(true);
  });

  test("end with the machine", async () => {
    const { path, file } = await givenSigner(parties);
    const token = await tokenOf(file);
    await parties.call("DELETE", path);
    expect(await isGood(token)).toBe(false);
    expect(await askFor(parties, await assertionOf(parties, file))).toEqual(refused);
  });

  test("are none while the organization is out of use", async () => {
    const { id } = await parties.call("POST", "/management/v1/orgs", { name: v7() });
    const organization = String(id);
    const machine = { userName: v7(), name: "A robot" };
    const path = "/management/v1/users/machine";
    const { userId } = await parties.call("POST", path, machine, organization);
    const keys = `/management/v1/users/${String(userId)}/keys`;
    const { keyDetails } = await parties.call("POST", keys, {}, organization);
    const file = JSON.parse(Buffer.from(String(keyDetails), "base64").toString());
    const token = await tokenOf(file);
    expect(await statusOfUserinfo(parties, token)).toBe(200);
    await parties.call("POST", "/management/v1/orgs/me/_deactivate", {}, organization);
    expect(await statusOfUserinfo(parties, token)).toBe(401);
    expect(await askFor(parties, await assertionOf(parties, file))).toEqual(refused);
  });

  test("CVE-2025-31123: end when it ends, and there are no others", async () => {
    const endsMs = parties.clock.nowMs + 20_000;
    const ending = { expirationDate: new Date(endsMs).toISOString() };
    const { file } = await givenSigner(parties, { ending });
    const token = await tokenOf(file);
    expect(await isGood(token)).toBe(true);
    parties.clock.nowMs = endsMs;
    expect(await isGood(token)).toBe(false);
    expect(await askFor(parties, await assertionOf(parties, file))).toEqual(refused);
  });

  test("end where the machine gets more than who made the key holds", async () => {
    const { server, call } = parties;
    const { organization } = server.admin;
    const machine = { userName: v7(), name: "A robot" };
    const userId = String((await call("POST", "/management/v1/users/machine", machine)).userId);
    const scope = { level: "organization", organization } as const;
    const manager = await givenUser(server, organization, [{ scope, roles: ["ORG_USER_MANAGER"] }]);
    const made = await fetch(`${server.url}/management/v1/users/${userId}/keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${manager.token}`, "content-type": "application/json" },
      body: "{}",
    });
    const { keyId, keyDetails } = (await made.json()) as { readonly [name: string]: string };
    const token = await tokenOf(JSON.parse(Buffer.from(String(keyDetails), "base64").toString()));
    expect(await statusOfUserinfo(parties, token)).toBe(200);
    const member = { userId, roles: ["ORG_OWNER"] };
    const answer = await call("POST", "/management/v1/orgs/me/members", member);
    expect(answer).toMatchObject({ voided: [`key:${keyId}`] });
    expect(await isGood(token)).toBe(false);
  });
});
