// What a request carries without a type, JSON of any form, reaches nothing that takes it for what
// it should be: Buffer.from, given {"length": 200000000}, makes a list of that many numbers.

import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { AccountService } from "../../gen/iam/account/v1/account_service_pb.js";
import { begun, givenLink, requestWith } from "../cases/accounts.ts";
import { callingOf } from "../cases/phones.ts";
import { register } from "../cases/webauthn.ts";
import { createClients, type TestClient } from "../harness/clients.ts";
import { methods } from "../harness/contract.ts";
import { startServer, type TestServer } from "../harness/server.ts";

/** The fields of requests that have no type; each has tests below. */
const tested = ["iam.account.v1.FinishPasskeyRequest.credential"];

test("each field of a request without a type is tested", () => {
  const found = methods.flatMap(({ input }) => untyped(input));
  expect(found.map(({ parent, name }) => `${parent.typeName}.${name}`)).toEqual(tested);
});

const open = ["Any", "ListValue", "Struct", "Value"].map((name) => `google.protobuf.${name}`);

function untyped(message: DescMessage, seen = new Set<DescMessage>()): readonly DescField[] {
  if (seen.has(message)) return [];
  seen.add(message);
  return message.fields.flatMap((field) => {
    const { fieldKind } = field;
    const inner = fieldKind === "map" ? undefined : field.message;
    if (inner === undefined) return [];
    return open.includes(inner.typeName) ? [field] : untyped(inner, seen);
  });
}

describe("a credential", () => {
  let server: TestServer;
  let clients: readonly TestClient[];

  beforeAll(async () => {
    server = await startServer();
    clients = createClients(server.url);
  });
  afterEach(() => void jest.restoreAllMocks());
  afterAll(async () => {
    for (const client of clients) client.close();
    await server.close();
  });

  const { finishPasskey } = AccountService.method;
  const paths = [
    ["id"],
    ["rawId"],
    ["type"],
    ["response"],
    ["response", "clientDataJSON"],
    ["response", "attestationObject"],
    ["response", "transports"],
  ];
  const hostile: readonly JsonValue[] = [{ length: 4_000 }, [4_000], 4_000, true, null];

  async function refusesUnread(credential: JsonObject, link: Awaited<ReturnType<typeof given>>) {
    const read = jest.spyOn(Buffer, "from");
    const answer = await link.call(finishPasskey, requestWith(link, { credential }), "");
    const unread = read.mock.calls.filter(([value]) => !isBytesOrText(value));
    expect(answer).toMatchObject({ ok: false, reason: "PASSKEY_INVALID" });
    expect(unread).toEqual([]);
    read.mockRestore();
  }

  async function given() {
    const calling = callingOf(server, clients.find(({ name }) => name === "grpc")!);
    const link = await givenLink(calling);
    return { ...link, call: calling.call, options: await begun(calling, link) };
  }

  test.each(paths.map((path) => [path.join("."), path] as const))(
    "whose %s is something else is refused unread",
    async (_, path) => {
      const link = await given();
      const { credential } = register(link.options);
      for (const value of hostile) {
        await refusesUnread(replaced(credential, path, value), link);
      }
      const tooLong = "A".repeat(10_000);
      await refusesUnread(replaced(credential, path, tooLong), link);
    },
  );

  test.each(["type", "challenge", "origin"])(
    "whose client data has something else for its %s is refused unread",
    async (name) => {
      const link = await given();
      const { credential } = register(link.options);
      const { response } = credential as { readonly response: JsonObject };
      const text = Buffer.from(String(response.clientDataJSON), "base64url").toString();
      for (const value of hostile) {
        const data = JSON.stringify({ ...JSON.parse(text), [name]: value });
        const clientDataJSON = Buffer.from(data).toString("base64url");
        const path = ["response", "clientDataJSON"];
        await refusesUnread(replaced(credential, path, clientDataJSON), link);
      }
    },
  );
});

function replaced(
  from: JsonObject,
  [name = "", ...rest]: readonly string[],
  value: JsonValue,
): JsonObject {
  const inner = rest.length === 0 ? value : replaced(from[name] as JsonObject, rest, value);
  return { ...from, [name]: inner };
}

/** What Buffer reads byte by byte, without making a list of what the value says it has. */
function isBytesOrText(value: unknown): boolean {
  const isBytes =
    ArrayBuffer.isView(value) || Object.prototype.toString.call(value).endsWith("Buffer]");
  return typeof value === "string" || isBytes;
}
