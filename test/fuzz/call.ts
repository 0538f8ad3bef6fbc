import {
  type DescMethod,
  fromJson,
  hasOption,
  type JsonObject,
  toBinary,
} from "@bufbuild/protobuf";
import { http } from "../../gen/google/api/annotations_pb.js";
import { Health } from "../../gen/grpc/health/v1/health_pb.js";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { dataFrame, headersFrame } from "../gateway/frames.ts";
import type { Random } from "../gateway/native/random.ts";
import {
  extras,
  type Form,
  forms,
  framed,
  headersOf,
  targetOf,
  type WireRequest,
} from "../gateway/native/requests.ts";
import { methods as ours } from "../harness/contract.ts";
import { jsonText, mutated } from "./mutation.ts";
import type { FuzzPlace } from "./place.ts";
import type { FuzzRequest } from "./request.ts";
import { messageFor, type Values } from "./value.ts";

const methods: readonly DescMethod[] = [...ours, ...Health.methods, ...ServerReflection.methods];

/** What leaves nothing to ask about, which is why it is asked of the place before, mostly. */
const takesAway = /^(?:Remove|Delete|Deactivate)/;

/** Milliseconds for which the answer of a stream is read. */
const streamReadsMs = 10;

/** A call of a method in one of the forms that it has. */
export interface CallRequest {
  readonly title: string;
  readonly method: DescMethod;
  readonly wire: WireRequest;
}

/** A call of one of the methods whose names contain the text. */
export function callRequest(values: Values, about: string): CallRequest {
  const { place, random } = values;
  const method = random.pick(methods.filter(({ name }) => name.includes(about)));
  const form = random.pick(forms.filter((one) => one !== "rest" || hasOption(method, http)));
  const isBinary = form === "grpc" || form === "grpc-web" || form === "connect-proto";
  const isOfBefore = takesAway.test(method.name) && !random.once(20);
  const there = isOfBefore ? (place.before ?? place) : place;
  const given = messageFor(method, { ...values, place: there });
  const { verb, path } = targetFor(form, method, given, random);
  const whole = isBinary ? binaryOf(method, given) : jsonText(given, random);
  const message = random.once(3) ? mutated(whole, isBinary, random) : whole;
  const { body, encoding } = framed(form, filled(message, random), random);
  const headers = [
    ...typeOf(form, method, random),
    ...authorizationOf(place, random),
    ...encoding,
    ...extras(place, form, random),
  ];
  const isStream = method.methodKind !== "unary";
  const version =
    form === "grpc" && !random.once(20) ? "2.0" : random.pick(["1.1", "2.0"] as const);
  const leaves = random.once(100) ? { leavesAfter: random.below(body.length + 1) } : {};
  const reads = isStream ? { readsMs: streamReadsMs } : {};
  const isGet = verb === "GET";
  const title = `${form} HTTP/${version} ${verb} ${method.name}`;
  const sent = isGet ? Buffer.alloc(0) : body;
  return {
    title,
    method,
    wire: { title, version, verb, path, headers, body: sent, ...leaves, ...reads },
  };
}

/** The path of the method, at times with its message in the query as Connect has it. */
function targetFor(form: Form, method: DescMethod, given: JsonObject, random: Random) {
  const { verb, path } = targetOf(form, method, given);
  if (random.once(30)) {
    const encoding = random.pick(["json", "proto", "xml"]);
    const message = random.once(2)
      ? JSON.stringify(given)
      : Buffer.from("{}").toString("base64url");
    const query = new URLSearchParams({ connect: "v1", encoding, message, base64: "1" });
    return { verb: "GET", path: `${path}?${query}`.slice(0, 12_000) };
  }
  if (random.once(40)) return { verb, path: `${path}?${random.pick(queries)}` };
  if (random.once(60))
    return { verb, path: path + random.pick(["/", "%00", "%2e%2e", "%zz", "//"]) };
  return { verb: random.once(60) ? random.pick(verbs) : verb, path };
}

const queries = ["", "x=1", "id=none", "%zz", "&&==", `a=${"b".repeat(4_000)}`];
const verbs = ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "POST"];

function binaryOf({ input }: DescMethod, given: JsonObject): Buffer {
  return Buffer.from(toBinary(input, fromJson(input, given)));
}

/** Now and then as large as a message may be, give or take a byte. */
function filled(message: Buffer, random: Random): Buffer {
  if (!random.once(200)) return message;
  const size = random.pick([16, 1024]) * 1024 + random.below(3) - 1;
  return Buffer.concat([message, Buffer.alloc(Math.max(0, size - message.length), " ")]);
}

const odd = ["", "application/grpc+json", "application/json; charset=utf-16", "a/b", "text/html"];
const streamTypes = ["application/connect+json", "application/connect+proto"];

function typeOf(form: Form, method: DescMethod, random: Random): (readonly [string, string])[] {
  const usual = headersOf(form, random);
  const isStream = method.methodKind !== "unary" && form.startsWith("connect") && !random.once(4);
  if (!isStream && !random.once(40)) return usual;
  const type = random.pick(isStream ? streamTypes : [...odd, ...streamTypes]);
  return usual.map(([name, value]) => [name, name === "content-type" ? type : value]);
}

function authorizationOf({ owner, weak, removed }: FuzzPlace, random: Random) {
  const flipped = owner.slice(0, -1) + (owner.endsWith("A") ? "B" : "A");
  const broken = ["", "Bearer", "Bearer x", `Basic ${owner}`, `Bearer ${flipped}`, "\u00ff"];
  const chosen = random.below(20);
  if (chosen === 0) return [];
  if (chosen === 1) return [["authorization", random.pick(broken)]] as const;
  if (chosen === 2) return [["authorization", `Bearer ${removed}`]] as const;
  return [["authorization", `Bearer ${chosen < 6 ? weak : owner}`]] as const;
}

/** The bytes of the request over HTTP/1.1, with something wrong in them. */
export function rawHttp1({ title, wire }: CallRequest, random: Random): FuzzRequest {
  const { verb, path, headers, body } = wire;
  const length = random.once(8) ? random.pick(["-1", "0x5", "1e3", "5, 6"]) : body.length;
  const isChunked = random.once(4);
  const lines = [
    `${verb} ${path} HTTP/1.1`,
    "host: localhost",
    ...headers.map(([name, value]) => `${name}: ${value}`),
    isChunked ? "transfer-encoding: chunked" : `content-length: ${length}`,
  ];
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  const chunk = Buffer.from(
    `${body.length.toString(16)}\r\n${body.toString("latin1")}\r\n0\r\n\r\n`,
  );
  const bytes = Buffer.concat([head, isChunked ? chunk : body]);
  return { title: `raw ${title}`, http: 1, bytes: mutated(bytes, true, random) };
}

/** The frames of the request over HTTP/2, in pieces, with something wrong in them. */
export function rawHttp2({ title, wire }: CallRequest, random: Random): FuzzRequest {
  const { verb, path, headers, body } = wire;
  const short = headers.filter(([, value]) => value.length < 100);
  const fields = Object.fromEntries(short);
  const block = { ...fields, ":method": verb, end: body.length === 0 };
  const frames = [headersFrame(1, path.slice(0, 100), block)];
  const sizeMax = random.pick([1, 100, 16_384]);
  for (let from = 0; from < body.length && frames.length < 500; from += sizeMax) {
    const piece = body.subarray(from, from + sizeMax);
    frames.push(dataFrame(1, piece, { end: from + sizeMax >= body.length }));
  }
  const bytes = Buffer.concat(frames);
  return { title: `raw ${title}`, http: 2, bytes: mutated(bytes, true, random) };
}
