import { gzipSync } from "node:zlib";
import { createAsyncIterable } from "@connectrpc/connect/protocol";
import { expect, test } from "@jest/globals";
import { ManagementService } from "../../../gen/iam/management/v1/management_service_pb.js";
import { createBudget } from "../../../src/gateway/call/budget.ts";
import { reasonOf } from "../../../src/gateway/call/errors.ts";
import { unpack } from "../../../src/gateway/connect/unpack.ts";
import { formIn } from "../../../src/gateway/form/forms.ts";
import { frame } from "../hostile.ts";

const reading = { input: ManagementService.method.addProject.input, bytesMax: 1_000 };

/** What a body comes to that arrives in pieces of so many bytes. */
async function unpacked(fields: object, body: Buffer, pieceBytes: number, heldMax = 2_000) {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += pieceBytes) {
    pieces.push(body.subarray(at, at + pieceBytes));
  }
  const header = new Headers({ ...fields });
  const lease = createBudget().lease(heldMax);
  const sent = { header, body: createAsyncIterable(pieces) };
  const packed = unpack(sent, formIn(header), { reading, lease });
  const chunks: Uint8Array[] = [];
  for await (const chunk of packed.body) chunks.push(chunk);
  return { header: packed.header, body: Buffer.concat(chunks) };
}

const grpc = { "content-type": "application/grpc", "grpc-encoding": "gzip" };
const proto = { "content-type": "application/proto", "content-encoding": "gzip" };
const [one, other] = [Buffer.from([0x0a, 1, 0x61]), Buffer.from([0x0a, 2, 0x62, 0x62])];
const refusalOf = (work: Promise<unknown>) => work.then(() => "none", reasonOf);

test.each([1, 2, 7, 1_000])("frames in pieces of %i bytes are handed on whole", async (bytes) => {
  const body = Buffer.concat([
    frame(one),
    frame(gzipSync(other), 1),
    frame("", 0),
    Buffer.from([0]),
  ]);
  const expected = Buffer.concat([frame(one), frame(other), frame("", 0), Buffer.from([0])]);
  expect((await unpacked(grpc, body, bytes)).body).toEqual(expected);
});

test.each([1, 1_000])("a message in pieces of %i bytes is decompressed", async (bytes) => {
  const { header, body } = await unpacked(proto, gzipSync(other), bytes);
  expect(body).toEqual(other);
  expect(Object.fromEntries(header)).toEqual({ "content-type": "application/proto" });
});

test.each([
  ["announced", frame("", 0, 1_001), grpc],
  ["decompressed in a frame", frame(gzipSync(Buffer.alloc(1_001)), 1), grpc],
  ["decompressed", gzipSync(Buffer.alloc(1_001)), proto],
  ["as sent", Buffer.alloc(1_001), { "content-type": "application/proto" }],
])("what is too large %s is not handed on", async (_, body, fields) => {
  expect(await refusalOf(unpacked(fields, body, 100))).toBe("BODY_TOO_LARGE");
});

test("what was decompressed is held", async () => {
  const body = gzipSync(Buffer.alloc(1_000));
  expect(await refusalOf(unpacked(proto, body, 100, 999))).toBe("BODIES_OVERLOADED");
  expect((await unpacked(proto, body, 100, 1_000)).body).toHaveLength(1_000);
});
