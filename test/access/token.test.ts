import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { createToken } from "../../src/secrets/tokens.ts";
import { createClients } from "../harness/clients.ts";
import { givenUser } from "../harness/server.ts";
import { bearer, type HttpAnswer } from "./http.ts";
import { type AccessWorld, startWorld } from "./world.ts";

// GHSA-6mq3-xmgp-pjm5 and GHSA-pvm5-9frx-264r: only the whole token counts, and whatever is wrong
// with one, the answer is the same.

const path = `/${ManagementService.typeName}/AddProject`;

let world: AccessWorld;
/** It never goes back: the service would not follow it. */
let clock = 1_900_000_000_000;
let token: string;

beforeAll(async () => {
  world = await startWorld({ now: () => clock });
  token = world.server.admin.token;
});

afterAll(() => world.close());

function callWith(authorization: string | undefined): Promise<HttpAnswer> {
  const headers = authorization === undefined ? {} : { authorization };
  return world.http.send({ path, headers, body: JSON.stringify({ name: v7() }) });
}

async function expectUnauthenticated(answer: HttpAnswer): Promise<void> {
  expect(answer.status).toBe(401);
  expect(answer.headers["www-authenticate"]).toBe("Bearer");
  expect(JSON.parse(answer.text)).toEqual({
    code: 16,
    message:
      "The call has no valid token. Send `authorization: Bearer <token>` with a token that " +
      "is not expired or removed. An access token must have the scope urn:iam:org:project:id:iam:aud.",
    details: [
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "UNAUTHENTICATED",
        domain: "iam",
      },
    ],
  });
}

/** The token with another character at the index. */
function changed(index: number): string {
  const other = token[index] === "A" ? "B" : "A";
  return token.slice(0, index) + other + token.slice(index + 1);
}

/** A token whose secret differs in its last bits alone: it has the form of one. */
function withOtherEnd(text: string): string {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const secret = [...text.slice("iam_pat_".length, -6)];
  const number = secret.reduce((sum, digit) => sum * 62n + BigInt(digits.indexOf(digit)), 0n);
  const bytes = Buffer.from((number ^ 1n).toString(16).padStart(64, "0"), "hex");
  return createToken(() => bytes);
}

describe("is accepted", () => {
  test.each([
    ["as it is", () => `Bearer ${token}`],
    ["with the scheme in lower case", () => `bearer ${token}`],
    ["with the scheme in upper case", () => `BEARER ${token}`],
    ["with the scheme in mixed case", () => `bEaReR ${token}`],
    ["with several spaces", () => `Bearer    ${token}`],
    ["with spaces around the value", () => `  Bearer ${token}  `],
  ])("%s", async (_, authorization) => {
    expect((await callWith(authorization())).outcome).toBe("OK");
  });
});

describe("GHSA-6mq3-xmgp-pjm5: a token is refused", () => {
  test.each<readonly [string, () => string | undefined]>([
    ["where there is none", () => undefined],
    ["where the header is empty", () => ""],
    ["where only the scheme is there", () => "Bearer"],
    ["where the scheme is there with a space", () => "Bearer "],
    ["without a scheme", () => token],
    ["without a space", () => `Bearer${token}`],
    ["after a tab", () => `Bearer\t${token}`],
    ["of another scheme", () => `Basic ${token}`],
    ["in quotes", () => `Bearer "${token}"`],
    ["as a parameter", () => `Bearer token=${token}`],
    ["with a word after it", () => `Bearer ${token} x`],
    ["with a comma after it", () => `Bearer ${token},`],
    ["twice in one header", () => `Bearer ${token}, Bearer ${token}`],
    ["with an invisible character after it", () => `Bearer ${token}\u00ad`],
    ["in lower case", () => `Bearer ${token.toLowerCase()}`],
    ["in upper case", () => `Bearer ${token.toUpperCase()}`],
    ["with another prefix", () => `Bearer ${token.replace("iam_pat_", "iam_key_")}`],
    ["without its prefix", () => `Bearer ${token.replace("iam_pat_", "")}`],
    ["that nobody has", () => `Bearer ${createToken(randomBytes)}`],
    ["of zero bytes", () => `Bearer ${createToken((size) => new Uint8Array(size))}`],
    ["with another end, and the checksum of that", () => `Bearer ${withOtherEnd(token)}`],
    ["extended by its end", () => `Bearer ${token}${token.slice(-1)}`],
    ["extended by a zero", () => `Bearer ${token}0`],
    ["as long as headers may be", () => `Bearer ${"x".repeat(12_000)}`],
  ])("%s", async (_, authorization) => {
    const head = await world.server.head();
    await expectUnauthenticated(await callWith(authorization()));
    expect(await world.server.events(head)).toEqual([]);
  });

  test("truncated at every length, from either end", async () => {
    const lengths = [...token].map((_, length) => length);
    const parts = lengths.flatMap((length) => [token.slice(0, length), token.slice(length + 1)]);
    const answers = await Promise.all(parts.map((part) => callWith(`Bearer ${part}`)));
    expect(parts).toHaveLength(114);
    for (const answer of answers) await expectUnauthenticated(answer);
  });

  test("with any one character changed", async () => {
    const indexes = [...token].map((_, index) => index);
    const answers = await Promise.all(indexes.map((index) => callWith(`Bearer ${changed(index)}`)));
    for (const answer of answers) await expectUnauthenticated(answer);
  });
});

describe("ends", () => {
  const addToken = (userId: string, expirationDate?: string) =>
    world.http.send({
      path: `/${ManagementService.typeName}/AddPersonalAccessToken`,
      headers: { ...bearer(token), "x-service-orgid": world.organizations.own },
      body: JSON.stringify({ userId, ...(expirationDate ? { expirationDate } : {}) }),
    });

  test.each([
    ["a millisecond before it ends", -1, "OK"],
    ["when it ends", 0, "16 UNAUTHENTICATED"],
    ["a millisecond after it ended", 1, "16 UNAUTHENTICATED"],
    ["a year after it ended", 31_536_000_000, "16 UNAUTHENTICATED"],
  ])("%s", async (_, offsetMs, outcome) => {
    const expirationMs = clock + 86_400_123;
    const { own } = world.organizations;
    const owner = [{ scope: world.scopeOf("own"), roles: ["ORG_OWNER"] as const }];
    const holder = await givenUser(world.server, own, owner, { expirationMs });
    const { userId } = await world.givenCaller("ORG_OWNER", "own");
    const added = JSON.parse((await addToken(userId, new Date(expirationMs).toISOString())).text);

    clock = expirationMs + offsetMs;
    const given = await callWith(`Bearer ${holder.token}`);
    const made = await callWith(`Bearer ${added.token}`);
    expect([given.outcome, made.outcome]).toEqual([outcome, outcome]);
    const refused = [given, made].filter(({ status }) => status !== 200);
    for (const answer of refused) await expectUnauthenticated(answer);
  });

  test("when it is removed, and no other token of the user with it", async () => {
    const { userId } = await world.givenCaller("ORG_OWNER", "own");
    const first = JSON.parse((await addToken(userId)).text);
    const second = JSON.parse((await addToken(userId)).text);
    expect((await callWith(`Bearer ${first.token}`)).outcome).toBe("OK");

    const removal = {
      path: `/${ManagementService.typeName}/RemovePersonalAccessToken`,
      headers: bearer(second.token),
      body: JSON.stringify({ userId, tokenId: first.tokenId }),
    };
    expect((await world.http.send(removal)).outcome).toBe("OK");
    await expectUnauthenticated(await callWith(`Bearer ${first.token}`));
    expect((await callWith(`Bearer ${second.token}`)).outcome).toBe("OK");
    expect((await world.http.send(removal)).outcome).toBe("5 TOKEN_NOT_FOUND");
  });
});

describe("counts no more when the message is there", () => {
  const message = () => ({ path, body: JSON.stringify({ name: v7() }) });

  test("because it was removed meanwhile", async () => {
    const { token: used, tokenId, userId } = await world.givenCaller("ORG_OWNER", "own");
    const held = await world.http.hold({ ...message(), headers: bearer(used) });
    const removed = await world.http.send({
      path: `/${ManagementService.typeName}/RemovePersonalAccessToken`,
      headers: { ...bearer(token), "x-service-orgid": world.organizations.own },
      body: JSON.stringify({ userId, tokenId }),
    });
    expect(removed.outcome).toBe("OK");
    const head = await world.server.head();
    await expectUnauthenticated(await held.finish());
    expect(await world.server.events(head)).toEqual([]);
  });

  test("because it ended meanwhile", async () => {
    const { own } = world.organizations;
    const owner = [{ scope: world.scopeOf("own"), roles: ["ORG_OWNER"] as const }];
    const ending = { expirationMs: clock + 1 };
    const { token: used } = await givenUser(world.server, own, owner, ending);
    const held = await world.http.hold({ ...message(), headers: bearer(used) });
    const head = await world.server.head();
    clock += 1;
    await expectUnauthenticated(await held.finish());
    expect(await world.server.events(head)).toEqual([]);
  });
});

describe("is asked for", () => {
  const rpc = "/iam.management.v1.ManagementService/AddProject";
  const rest = "/management/v1/projects";
  const connect = { "connect-protocol-version": "1" };
  test.each([
    ["RPC in JSON", rpc, { "content-type": "application/json" }],
    ["RPC in Protobuf", rpc, { "content-type": "application/proto" }],
    ["Connect in JSON", rpc, { "content-type": "application/json", ...connect }],
    ["Connect in Protobuf", rpc, { "content-type": "application/proto", ...connect }],
    ["REST", rest, { "content-type": "application/json" }],
  ])("in a way that HTTP knows: %s", async (_, url, headers) => {
    const response = await fetch(world.server.url + url, { method: "POST", headers });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    await response.body?.cancel();
  });

  test("in the words of every client", async () => {
    const { method } = ManagementService;
    const clients = createClients(world.server.url);
    const request = create(method.addProject.input, { name: v7() });
    const answers = await Promise.all(
      clients.flatMap((client) =>
        [{}, bearer(createToken(randomBytes))].map((headers) =>
          client.call(method.addProject, request, headers),
        ),
      ),
    );
    for (const client of clients) client.close();
    expect(answers).toHaveLength(14);
    for (const answer of answers) {
      expect(answer).toMatchObject({ ok: false, code: 16, reason: "UNAUTHENTICATED" });
      // grpc-js leaves encoded what stands for a colon (its decodeURI keeps reserved characters).
      const { message } = answer as { readonly message: string };
      expect(decodeURIComponent(message)).toBe(
        "The call has no valid token. Send `authorization: Bearer <token>` with a token that " +
          "is not expired or removed. An access token must have the scope urn:iam:org:project:id:iam:aud.",
      );
    }
  });
});
