import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:http2";
import { expect, test } from "@jest/globals";
import { shortened } from "../harness/extent.ts";
import { few } from "../harness/in-full.ts";
import { startServer } from "../harness/server.ts";

const kinds: readonly (readonly [string, boolean, string, boolean, number])[] = [
  ["refused at its header by the native wire", true, "application/json", false, 401],
  ["refused at its header by Connect", false, "application/json", false, 401],
  ["refused at its first frame by the native wire", true, "application/grpc-web+proto", true, 200],
  ["refused at its first frame by Connect", false, "application/grpc-web+proto", true, 200],
];

const path = "/iam.management.v1.ManagementService/AddProject";

few().each(kinds)("the rest of a body %s leaves room for the next request", async (_, ...row) => {
  const [nativeWire, contentType, hasToken, status] = row;
  const server = await startServer({ nativeWire });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const authorization = hasToken ? { authorization: `Bearer ${server.admin.token}` } : {};
  const refused = async (bytes: number) => {
    const sent = request({
      ...{ port: server.port, host: "127.0.0.1", agent, method: "POST", path },
      headers: { "content-type": contentType, "content-length": bytes, ...authorization },
    });
    sent.end(Buffer.alloc(bytes, " "));
    const [response] = await once(sent, "response");
    await once(response.resume(), "end");
    return [response.statusCode, sent.reusedSocket];
  };
  expect(await refused(1_000_000)).toEqual([status, false]);
  expect(await refused(70_000)).toEqual([status, true]);
  expect(await refused(2)).toEqual([status, true]);
  agent.destroy();
  await server.close();
});

test.each(shortened(kinds))(
  "Node's client may send any number of bodies %s on one connection",
  async (_, ...row) => {
    const [nativeWire, contentType, hasToken, refusal] = row;
    const server = await startServer({ nativeWire });
    const session = connect(server.url);
    const authorization = hasToken ? { authorization: `Bearer ${server.admin.token}` } : {};
    const refused = async (): Promise<unknown> => {
      const sent = session.request({
        ...{ ":method": "POST", ":path": path, "content-type": contentType },
        ...authorization,
      });
      let status: unknown;
      sent.once("response", (fields) => {
        status = fields[":status"];
      });
      sent.end(Buffer.alloc(1_000_000, " "));
      await once(sent.resume(), "close");
      return status;
    };
    try {
      // More than its `maxSessionMemory`, 10 MiB, is for what it believes to be unsent.
      for (let count = 0; count < 25; count += 1) expect(await refused()).toBe(refusal);
    } finally {
      session.destroy();
      await server.close();
    }
  },
);
