import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterAll, describe, expect, test } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { ageOf } from "../../src/port/age.ts";
import { callPath } from "../gateway/flight.ts";
import {
  codeIn,
  dataFrame,
  errorCode,
  type Frame,
  type FrameConnection,
  frameType,
  headersFrame,
  openFrames,
} from "../gateway/frames.ts";
import { createClients } from "../harness/clients.ts";
import { startServer, type TestServer } from "../harness/server.ts";

const running: TestServer[] = [];

async function start(connectionAgeMs: number): Promise<TestServer> {
  const server = await startServer({ limits: { connectionAgeMs } });
  running.push(server);
  return server;
}

afterAll(() => Promise.all(running.map((one) => one.close())));

describe("the age of a connection", () => {
  test.each([
    [0, 900],
    [0.5, 1_000],
    [1, 1_100],
  ])("of 1,000 ms is with a jitter of %d %d ms", (jitter, ms) => {
    expect(ageOf(jitter, { connectionAgeMs: 1_000 })).toBeCloseTo(ms);
  });
});

/** A GOAWAY says which of the streams that the peer opened last is still served. */
const lastStreamIn = ({ payload }: Frame) => payload.readUInt32BE(0);

describe("a connection that has reached its age", () => {
  const openCall = (frames: FrameConnection, stream: number, { admin }: TestServer) => {
    const fields = { "content-type": "application/json", authorization: `Bearer ${admin.token}` };
    frames.write(headersFrame(stream, callPath, { end: false, ...fields }));
  };
  const finishCall = (frames: FrameConnection, stream: number) => {
    const name = { name: `of stream ${stream}` };
    frames.write(dataFrame(stream, Buffer.from(JSON.stringify(name)), { end: true }));
  };

  test("serves one call more, which hears that it is the last, and closes", async () => {
    const server = await start(0);
    const frames = await openFrames(server.port);
    openCall(frames, 1, server);
    const end = await frames.until(({ type }) => type === frameType.goAway);
    expect([codeIn(end), lastStreamIn(end)]).toEqual([errorCode.noError, 1]);
    openCall(frames, 3, server);
    finishCall(frames, 3);
    finishCall(frames, 1);
    const answers = (await frames.ended).filter(({ type }) => type === frameType.data);
    expect(answers.map(({ stream }) => stream)).toEqual([1]);
    expect(answers[0]!.payload.toString()).toMatch(/^\{"id":/);
  });

  test("is left by a client of grpc-js between two calls, none of which fails", async () => {
    const server = await start(5);
    let connections = 0;
    const count = () => {
      connections += 1;
    };
    subscribe("net.server.socket", count);
    const client = createClients(server.url).find(({ name }) => name === "grpc-js")!;
    const headers = { authorization: `Bearer ${server.admin.token}` };
    let calls = 0;
    const callOnAndOn = async () => {
      while (connections < 10) {
        calls += 1;
        const request = { $typeName: "iam.management.v1.AddOrgRequest", name: `${calls}` };
        const answer = await client.call(ManagementService.method.addOrg, request, headers);
        expect(answer).toMatchObject({ ok: true });
      }
    };
    try {
      await Promise.all([1, 2, 3, 4].map(callOnAndOn));
    } finally {
      unsubscribe("net.server.socket", count);
      client.close();
    }
    expect(calls).toBeGreaterThan(connections);
  });
});
