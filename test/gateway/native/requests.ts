import { gzipSync } from "node:zlib";
import {
  create,
  type DescMethod,
  type DescMethodUnary,
  getOption,
  hasOption,
  type JsonObject,
  toBinary,
} from "@bufbuild/protobuf";
import { http } from "../../../gen/google/api/annotations_pb.js";
import { Health } from "../../../gen/grpc/health/v1/health_pb.js";
import { AccountService } from "../../../gen/iam/account/v1/account_service_pb.js";
import { AdminService } from "../../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../../../gen/iam/user/v2/user_service_pb.js";
import type { Random } from "./random.ts";

/** A request as its bytes go over the wire, and how to tell of it. */
export interface WireRequest {
  readonly title: string;
  readonly version: "1.1" | "2.0";
  readonly verb: string;
  readonly path: string;
  /** Names and values, in order; a name may come twice. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
  /** Bytes of the body after which the caller goes without awaiting an answer. */
  readonly leavesAfter?: number;
  /** Milliseconds after which the caller goes from an answer that may have no end. */
  readonly readsMs?: number;
}

/** What there is to ask about, the same in both services. */
export interface Place {
  readonly token: string;
  /** A token whose holder may do nothing. */
  readonly weakToken: string;
  readonly organization: string;
  readonly project: string;
  readonly user: string;
}

const { method: management } = ManagementService;

/** Methods of every kind, each with values that are right most of the time. */
const methods: readonly {
  readonly method: DescMethodUnary;
  readonly values: (place: Place, random: Random, serial: number) => JsonObject;
}[] = [
  {
    method: management.addAPIApp,
    values: ({ project }, random, serial) => ({
      projectId: project,
      name: `app ${random.once(5) ? "taken" : serial}`,
      authMethodType: "API_AUTH_METHOD_TYPE_BASIC",
    }),
  },
  {
    method: management.addOIDCApp,
    values: ({ project }, random, serial) => ({
      projectId: project,
      name: `oidc ${serial}`,
      redirectUris: random.once(3) ? ["no uri"] : ["https://app.example.com/callback"],
    }),
  },
  { method: management.getProjectByID, values: ({ project }) => ({ id: project }) },
  { method: management.listApps, values: ({ project }) => ({ projectId: project }) },
  {
    method: management.listProjects,
    values: (_place, random) => ({ query: { limit: random.below(200) } }),
  },
  {
    method: management.importHumanUser,
    values: (_place, random, serial) => ({
      userName: `user ${serial}`,
      profile: { firstName: "Ada", lastName: random.once(4) ? "" : "Lovelace" },
      email: { email: `user${serial}@example.com`, isEmailVerified: true },
    }),
  },
  { method: management.deactivateProject, values: () => ({ id: "unknown" }) },
  {
    method: management.createAction,
    values: (_place, random, serial) => ({
      name: `action ${serial}`,
      script: random.once(3) ? "not (" : "return 1",
    }),
  },
  { method: AdminService.method.listOrgs, values: () => ({}) },
  {
    method: UserService.method.verifyPhone,
    values: ({ user }) => ({ userId: user, verificationCode: "ABC123" }),
  },
  {
    method: AccountService.method.checkInitialization,
    values: ({ user }) => ({ userId: user, code: "ABC123" }),
  },
  { method: Health.method.check, values: () => ({}) },
];

export const forms = ["grpc", "grpc-web", "connect-proto", "connect-json", "json", "rest"] as const;
export type Form = (typeof forms)[number];

/** A request that is right, or wrong in one way or in several. */
export function randomRequest(place: Place, random: Random, serial: number): WireRequest {
  const { method, values } = random.pick(methods);
  const given = values(place, random, serial);
  const form = random.pick(forms.filter((one) => one !== "rest" || hasOption(method, http)));
  const version =
    form === "grpc" && !random.once(20) ? "2.0" : random.pick(["1.1", "2.0"] as const);
  const { verb, path: bare } = targetOf(form, method, given);
  const path = random.once(30) ? `${bare}?${random.pick(["", "x=1", "id=none"])}` : bare;
  const message = mutatedMessage(form, method, given, random);
  const { body, encoding } = framed(form, message, random);
  const headers = [
    ...headersOf(form, random),
    ...authorizationOf(place, random),
    ...encoding,
    ...extras(place, form, random),
  ];
  const leaves = random.once(60) ? { leavesAfter: random.below(body.length + 1) } : {};
  const title = `#${serial} ${form} HTTP/${version} ${method.name}`;
  return { title, version, verb: random.once(80) ? "PUT" : verb, path, headers, body, ...leaves };
}

/** The verb and the path of a call. */
export function targetOf(form: Form, method: DescMethod, given: JsonObject) {
  if (form !== "rest") return { verb: "POST", path: `/${method.parent.typeName}/${method.name}` };
  const { pattern } = getOption(method, http);
  const path = String(pattern.value).replaceAll(/\{(\w+)(?:=\*\*)?\}/g, (_, name: string) => {
    const field = method.input.fields.find((one) => one.name === name)!;
    return encodeURIComponent(String(given[field.jsonName] ?? "x"));
  });
  return { verb: String(pattern.case).toUpperCase(), path };
}

/** The bytes of the message, before they are framed. */
function mutatedMessage(
  form: Form,
  method: DescMethodUnary,
  given: JsonObject,
  random: Random,
): Buffer {
  const isBinary = form === "grpc" || form === "grpc-web" || form === "connect-proto";
  if (form === "rest" && getOption(method, http).body !== "*") return Buffer.alloc(0);
  const bytes = isBinary
    ? Buffer.from(toBinary(method.input, fromGiven(method, given)))
    : Buffer.from(JSON.stringify(given));
  switch (random.below(12)) {
    case 0:
      return bytes.subarray(0, random.below(bytes.length + 1));
    case 1: {
      const broken = Buffer.from(bytes);
      if (broken.length > 0) broken[random.below(broken.length)] = random.below(256);
      return broken;
    }
    case 2:
      return Buffer.concat([bytes, Buffer.from(isBinary ? [0x7a, 3, 1, 2, 3] : " ")]);
    case 3:
      return isBinary ? bytes : Buffer.from(JSON.stringify({ ...given, nmae: "typo" }));
    case 4: {
      const size = random.pick([16 * 1024, 1024 * 1024]) + random.below(3) - 1;
      const filler = Math.max(0, size - bytes.length);
      return isBinary
        ? Buffer.concat([bytes, paddedField(filler)])
        : Buffer.concat([bytes, Buffer.alloc(filler, " ")]);
    }
    default:
      return bytes;
  }
}

function fromGiven(method: DescMethodUnary, given: JsonObject) {
  const message = create(method.input);
  for (const field of method.input.fields) {
    const value = given[field.jsonName];
    if (field.fieldKind === "scalar" && typeof value === "string") {
      Object.assign(message, { [field.localName]: value });
    }
  }
  return message;
}

/** An unknown field of so many bytes. */
function paddedField(bytes: number): Buffer {
  if (bytes < 8) return Buffer.alloc(0);
  const length = bytes - 6;
  const head = [0xfa, 0x3e, (length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14];
  return Buffer.concat([Buffer.from(head), Buffer.alloc(length)]);
}

/** The body with the message, and the header that says how it is compressed; or lies about both. */
export function framed(form: Form, message: Buffer, random: Random) {
  const isFramed = form === "grpc" || form === "grpc-web";
  const zipped = random.once(8);
  const packed = zipped ? gzipSync(message) : message;
  const said = random.once(12) ? "br" : "gzip";
  if (!isFramed) {
    const encoding = zipped ? [["content-encoding", said] as const] : [];
    return { body: packed, encoding };
  }
  const encoding = zipped && !random.once(6) ? [["grpc-encoding", said] as const] : [];
  const flags = random.once(25) ? random.below(256) : zipped ? 1 : 0;
  const length = random.once(25) ? random.below(2 ** 31) : packed.length;
  const head = Buffer.alloc(5);
  head[0] = flags;
  head.writeUInt32BE(length, 1);
  const frame = Buffer.concat([head, packed]);
  if (random.once(25)) return { body: Buffer.concat([frame, frame]), encoding };
  return {
    body: random.once(25) ? frame.subarray(0, random.below(frame.length)) : frame,
    encoding,
  };
}

/** What says of which form a request is, most of the time. */
export function headersOf(form: Form, random: Random): (readonly [string, string])[] {
  const types: { readonly [form in Form]: readonly string[] } = {
    grpc: ["application/grpc", "application/grpc+proto", "application/grpc+json"],
    "grpc-web": ["application/grpc-web", "application/grpc-web+proto", "application/grpc-web-text"],
    "connect-proto": ["application/proto"],
    "connect-json": ["application/json", "application/json; charset=utf-8"],
    json: ["application/json", "application/json;charset=UTF-8", "APPLICATION/JSON"],
    rest: ["application/json", "application/json; charset=utf-8", "text/json"],
  };
  const isUsual = !random.once(4);
  const type = isUsual ? types[form][0]! : random.pick([...types[form], "text/plain"]);
  const headers: (readonly [string, string])[] = random.once(40) ? [] : [["content-type", type]];
  if (form === "grpc") headers.push(["te", "trailers"]);
  if ((form === "connect-json" || form === "connect-proto") && !random.once(8))
    headers.push(["connect-protocol-version", "1"]);
  return headers;
}

function authorizationOf({ token, weakToken }: Place, random: Random) {
  switch (random.below(14)) {
    case 0:
      return [];
    case 1:
      return [["authorization", "Bearer no token"]] as const;
    case 2:
      return [["authorization", `Bearer ${weakToken}`]] as const;
    case 3:
      return [["authorization", `bearer  ${token} `]] as const;
    default:
      return [["authorization", `Bearer ${token}`]] as const;
  }
}

/** Headers that may be there. */
export function extras({ organization }: Pick<Place, "organization">, form: Form, random: Random) {
  const headers: (readonly [string, string])[] = [];
  const isGrpc = form === "grpc" || form === "grpc-web";
  if (random.once(2)) {
    headers.push([
      isGrpc ? "grpc-accept-encoding" : "accept-encoding",
      random.pick(["gzip", "identity,deflate,gzip", "br", ""]),
    ]);
  }
  if (random.once(5)) {
    headers.push(
      isGrpc
        ? ["grpc-timeout", random.pick(["10S", "99999999H", "0n", "5000m", "soon"])]
        : ["connect-timeout-ms", random.pick(["10000", "9999999999", "0", "-1", "soon"])],
    );
  }
  if (random.once(6))
    headers.push(["x-service-orgid", random.pick([organization, "unknown", "", "a,b"])]);
  if (random.once(40)) headers.push(["x-service-orgid", organization]);
  if (random.once(6)) headers.push(["accept-language", random.pick(["de", "fr;q=0.5, it", "*"])]);
  if (random.once(4)) {
    const keys = ["one", "two", `key-${random.below(1_000)}`, "", "a b", "x".repeat(129)];
    headers.push(["idempotency-key", random.pick(keys)]);
  }
  if (random.once(40)) headers.push(["connect-protocol-version", "1"]);
  if (random.once(60)) headers.push(["x-filler", "x".repeat(random.below(16_000))]);
  if (random.once(60)) headers.push(["expect", random.pick(["100-continue", "something"])]);
  if (random.once(60)) headers.push(["origin", "https://admin.example.com"]);
  return headers;
}
