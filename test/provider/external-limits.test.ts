import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { registerLimits } from "../../src/domain/registration/pending.ts";
import { externalLimits } from "../../src/domain/registration/register-external.ts";
import type { Send } from "../../src/fetch/fetcher.ts";
import { createPeers } from "../../src/port/peer.ts";
import { countCreated } from "../../src/provider/base/tries.ts";
import { discoveryLimits, type OpenIDSignIn } from "../../src/provider/external/discovery.ts";
import { answerLimits } from "../../src/provider/external/http.ts";
import { createJWTProtocol } from "../../src/provider/external/jwt.ts";
import { createOpenIDProtocol } from "../../src/provider/external/oidc.ts";
import type { Ask } from "../../src/provider/external/protocol.ts";
import { heading } from "./browser.ts";
import { comersOf, isIn } from "./comers.ts";
import { type ExternalParties, startExternal } from "./external.ts";
import { foreignClient } from "./foreign.ts";
import { backOf, goStraight } from "./forged.ts";
import { unitOf } from "./unit.ts";

describe("accounts that come of providers", () => {
  let parties: ExternalParties;
  let comers: ReturnType<typeof comersOf>;

  beforeAll(async () => {
    parties = await startExternal({ peers: createPeers([["127.0.0.1", 32]]) });
    comers = comersOf(parties);
  });
  afterAll(() => parties.close());

  const { createdOfAddress, createdOfSite, createdOfMachine, createdMs } = externalLimits;
  const created = async (addresses: readonly (string | undefined)[]) => {
    const site = unitOf(parties.server.store, () => parties.clock.nowMs);
    const counted = await Promise.all(addresses.map((address) => countCreated(site, address)));
    return counted.filter((isWithin) => isWithin).length;
  };
  const times = (most: number, address: (i: number) => string | undefined) =>
    Array.from({ length: most }, (_, i) => address(i));

  test.each([
    ["of one address", createdOfAddress, () => "203.0.113.7"],
    ["of one site", createdOfSite, (i: number) => `2001:db8:77:${i.toString(16)}::/64`],
    ["of where no address is known", createdOfMachine, () => undefined],
  ])("%s are so many in an hour", async (_, most, address) => {
    expect(await created(times(most, address))).toBe(most);
    expect(await created([address(most)])).toBe(0);
    expect(await created(["203.0.113.8", "2001:db8:78:1::/64"])).toBe(2);
    parties.clock.nowMs += createdMs;
    expect(await created([address(most)])).toBe(1);
  });

  const said = (sub: string) => ({
    ...{ preferred_username: sub, email: `${sub}@example.org`, email_verified: true },
  });

  test("are not created past that, as the page says", async () => {
    const place = await comers.given({ isAutoCreation: true });
    const at = (address: string) => parties.browser({ "x-forwarded-for": address });
    await created(times(createdOfAddress - 1, () => "203.0.113.20"));
    for (const [name, isLast] of [
      [v7(), false],
      [v7(), true],
    ] as const) {
      const head = await parties.server.head();
      const come = { ...place, browser: at("203.0.113.20") };
      const { page } = await comers.come(come, said(name), name);
      const types = (await parties.server.events(head)).map(({ type }) => type);
      expect([isIn(page), page.status === 429]).toEqual([!isLast, isLast]);
      expect(types.includes("user.human.externalidp.added")).toBe(!isLast);
    }
    const name = v7();
    const come = { ...place, browser: at("203.0.113.21") };
    expect(isIn((await comers.come(come, said(name), name)).page)).toBe(true);
  });

  test("are asked for by so many names in one login", async () => {
    const place = await comers.given();
    const { userName } = await parties.givenPerson();
    const name = v7();
    const { browser } = await comers.come(place, said(name), name);
    await browser.send({}, "external-new");
    const email = `${name}@example.org`;
    const account = { firstName: "Grace", lastName: "Hopper", email };
    for (let tries = 0; tries < registerLimits.names; tries += 1) {
      const page = await browser.send({ ...account, userName }, "external-account");
      expect(page.status).toBe(409);
    }
    const page = await browser.send({ ...account, userName: name }, "external-account");
    expect([page.status, heading(page)]).toEqual([429, "Try again later"]);
  });

  test.each([
    ["a moment before", externalLimits.askMs - 20_000, true],
    ["when it is over", externalLimits.askMs, false],
  ])("%s: the time at a provider", async (_, ms, isInTime) => {
    const place = await comers.given();
    const { sub } = await comers.linked(place);
    [comers.forged.claims, comers.forged.info] = [{ sub }, { sub }];
    const browser = parties.browser();
    const { url, state } = await goStraight(browser, place.app, place.idpId);
    comers.forged.nonce = new URL(url).searchParams.get("nonce") ?? "";
    parties.clock.nowMs += ms;
    const page = await browser.open(backOf(parties, place.idpId, { code: "c", state }));
    expect(isIn(page)).toBe(isInTime);
  });
});

describe("the configuration of a provider", () => {
  /** What counts how often it is asked for, in a time that is made up; one fails, if any. */
  function counting(failing?: string) {
    const time = { nowMs: 0 };
    const asked: string[] = [];
    const send: Send = async (url) => {
      asked.push(url);
      const { origin: issuer } = new URL(url);
      const said = { issuer, authorization_endpoint: `${issuer}/auth` };
      const body = Buffer.from(JSON.stringify(said));
      return { status: issuer === failing ? 500 : 200, mediaType: "application/json", body };
    };
    const protocol = createOpenIDProtocol({ send, machineNow: () => time.nowMs });
    return { time, asked, ask: (id: number) => protocol.address(askOf(`p${id}`)) };
  }

  test("is remembered for a time", async () => {
    const { time, asked, ask } = counting();
    await ask(0);
    time.nowMs = discoveryLimits.keptMs - 1;
    await ask(0);
    expect(asked).toHaveLength(1);
    time.nowMs = discoveryLimits.keptMs;
    await ask(0);
    expect(asked).toHaveLength(2);
  });

  test("is asked for once where many come at the same time", async () => {
    const { asked, ask } = counting();
    await Promise.all(Array.from({ length: 20 }, () => ask(0)));
    expect(asked).toHaveLength(1);
  });

  test("is remembered of so many", async () => {
    const { asked, ask } = counting();
    const { providers } = discoveryLimits;
    for (let id = 0; id < providers; id += 1) await ask(id);
    await ask(0);
    expect(asked).toHaveLength(providers);
    await ask(providers);
    await ask(0);
    expect(asked).toHaveLength(providers + 2);
  });

  test("large answers of identity providers: none is remembered that failed", async () => {
    const { asked, ask } = counting("https://p0.example.com");
    const { providers } = discoveryLimits;
    for (let id = 1; id < providers; id += 1) await ask(id);
    await expect(ask(0)).rejects.toMatchObject({ reason: "UNUSABLE" });
    await ask(providers);
    await ask(1);
    expect(asked).toHaveLength(providers + 1);
  });
});

describe("large answers of identity providers", () => {
  const issuer = "https://p0.example.com";
  const part = (said: object) => Buffer.from(JSON.stringify(said)).toString("base64url");
  const token = `${part({ alg: "RS256", kid: "other" })}.${part({ iss: issuer })}.`;
  const sending = (text: string) => {
    const send: Send = async () => ({ ...{ status: 200, mediaType: "" }, body: Buffer.from(text) });
    return { send, machineNow: () => 0 };
  };

  /** A configuration and keys: what is asked for them, and what says that they were read. */
  const kinds = [
    {
      said: { issuer, authorization_endpoint: `${issuer}/auth` },
      ask: (text: string) => createOpenIDProtocol(sending(text)).address(askOf("p0")),
      read: `${issuer}/auth?`,
    },
    {
      said: { keys: [{ kty: "RSA", kid: "k", n: "A", e: "AQAB" }] },
      ask: (text: string) => {
        const ends = { keysEndpoint: `${issuer}/keys`, jwtEndpoint: `${issuer}/login` };
        const provider = { id: "p0", organization: "o", signIn: { kind: "jwt", issuer, ...ends } };
        return createJWTProtocol(sending(text)).verify(provider as never, token, []);
      },
      read: "ERR_JWKS_NO_MATCHING_KEY",
    },
  ];
  const { bytes, values } = answerLimits;
  const sizes = [
    ["bytes", bytes, "a", /./g],
    ["commas, square and curly brackets", values, ",", /[,[{]/g],
  ] as const;

  test.each(sizes)("are read with so many %s, and not one more", async (unit, most, one, each) => {
    for (const { said, ask, read } of kinds) {
      const text = (times: number) => JSON.stringify({ ...said, more: one.repeat(times) });
      const room = most - (text(0).match(each)?.length ?? 0);
      expect(await ask(text(room)).then(String, ({ message }) => message)).toContain(read);
      await expect(ask(text(room + 1))).rejects.toMatchObject({
        reason: "UNUSABLE",
        message: `an answer has more than ${most} ${unit}`,
      });
    }
  });
});

function askOf(id: string): Ask<OpenIDSignIn> {
  const signIn: OpenIDSignIn = {
    kind: "oidc",
    issuer: `https://${id}.example.com`,
    ...foreignClient,
    scopes: ["openid"],
    usesPkce: true,
    isIdTokenMapping: false,
    verifies: "CLAIM",
    subject: "SUB",
    anew: "login",
    displayNameMapping: "UNSPECIFIED",
    usernameMapping: "UNSPECIFIED",
  };
  return {
    provider: { id, organization: "o", signIn },
    secrets: { state: "s", nonce: "n", verifier: "v".repeat(43) },
    callback: `https://iam.example.com/idps/${id}/callback`,
  };
}
