import { contentTypeRegExp as connect } from "@connectrpc/connect/protocol-connect";
import { contentTypeRegExp as grpc } from "@connectrpc/connect/protocol-grpc";
import { contentTypeRegExp as grpcWeb } from "@connectrpc/connect/protocol-grpc-web";
import { expect, jest, test } from "@jest/globals";
import { withServedType } from "../../../src/gateway/form/forms.ts";
import { hostileServer, rpcPath, send } from "../hostile.ts";
import { empty } from "../refusal.ts";

const server = hostileServer();

const protocols = ["", "connect+", "grpc", "grpc+", "grpc-web", "grpc-web+", "soap+"];
const messages = ["", "json", "proto", "xml"];
const ends = ["", "; charset=utf-8", ";charset=UTF8", "; charset=utf-16", "; x=y", ";", "x"];
const types = protocols
  .flatMap((protocol) => messages.map((message) => `application/${protocol}${message}`))
  .flatMap((type) => ends.flatMap((end) => [`${type}${end}`, `${type.toUpperCase()}${end}`]));

test("a content type is left out where Connect takes it in no protocol", () => {
  const given = types.map((type) => {
    const header = withServedType(new Headers({ "content-type": type, accept: "x" }));
    expect(header.get("accept")).toBe("x");
    return header.get("content-type");
  });
  const isTaken = (type: string) => [connect, grpc, grpcWeb].some((one) => one.test(type));
  expect(types.filter((_type, at) => given[at] !== null)).toEqual(types.filter(isTaken));
});

test("names remembered for good: Connect is asked about none of a caller", async () => {
  const set = jest.spyOn(Map.prototype, "set");
  const made = [
    "x/made-up",
    "APPLICATION/JSON",
    "application/connect+JSON",
    "application/json;charset=utf8",
  ];
  for (const type of made) {
    const fields = [["content-type", type]] as const;
    await send(server(), "json", { path: rpcPath, fields, body: empty("json") });
  }
  // Connect keeps whether it takes a type, Fastify an object, which it forgets.
  const kept = set.mock.calls.flatMap(([key, value]) => (typeof value === "boolean" ? [key] : []));
  set.mockRestore();
  expect(kept).toContain("application/json");
  expect(made.filter((type) => kept.includes(type))).toEqual([]);
});
