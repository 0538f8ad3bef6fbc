import {
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import { field as fieldRules } from "../../gen/buf/validate/validate_pb.js";
import type { Random } from "../gateway/native/random.ts";
import { entity } from "../saml/document.ts";
import type { FuzzPlace } from "./place.ts";

/** What values are chosen from, and how often one is not what the field is for. */
export interface Values {
  readonly place: FuzzPlace;
  readonly random: Random;
  readonly serial: number;
  /** One value in so many lies at an edge: legal for the type, whatever the rules say. */
  readonly oddOnce: number;
}

/** Messages within each other are made to this depth. */
const depthMax = 4;

/** A message for the method, in the JSON of Protobuf, which reads it: only rules are broken. */
export function messageFor({ name, input }: DescMethod, values: Values): JsonObject {
  return messageOf(input, name, values, 0);
}

function messageOf(
  { fields, oneofs }: DescMessage,
  about: string,
  values: Values,
  depth: number,
): JsonObject {
  const { random, oddOnce } = values;
  const chosen = new Set(oneofs.map((oneof) => random.pick(oneof.fields)));
  const given = fields.filter((field) => {
    if (depth >= depthMax && field.message !== undefined) return false;
    const isNever = getOption(field, fieldRules).cel.length > 0;
    if (random.once(oddOnce)) return !field.oneof && random.once(2);
    return field.oneof ? chosen.has(field) : !isNever && !random.once(6);
  });
  return Object.fromEntries(
    given.map((field) => [field.jsonName, memberOf(field, about, values, depth)]),
  );
}

function memberOf(field: DescField, about: string, values: Values, depth: number): JsonValue {
  const { random, oddOnce } = values;
  const one = () => entryOf(field, about, values, depth);
  if (field.fieldKind === "map") return { a: one(), __proto__x: one() };
  if (field.fieldKind !== "list") return one();
  const count = random.once(oddOnce) ? random.pick([0, 20, 21, 100, 101]) : 1 + random.below(3);
  // Many of a kind are all the same, so that long lists cost little to make.
  return count > 3 ? Array<JsonValue>(count).fill(one()) : Array.from({ length: count }, one);
}

function entryOf(field: DescField, about: string, values: Values, depth: number): JsonValue {
  const { random, oddOnce } = values;
  const { message, enum: choices, scalar } = field;
  const isOdd = random.once(oddOnce);
  if (message) {
    const known = wellKnown[message.typeName];
    return known ? random.pick(known) : messageOf(message, about, values, depth + 1);
  }
  if (choices) return isOdd ? random.pick([0, -1, 99, 2 ** 31 - 1]) : nameOf(choices, random);
  switch (scalar) {
    case ScalarType.BOOL:
      return random.once(2);
    case ScalarType.STRING:
      return isOdd ? oddText(values) : plausibleText(field.name, about, values);
    case ScalarType.BYTES:
      return Buffer.from(isOdd ? oddText(values) : entity({})).toString("base64");
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE:
      return random.pick([0, -0.5, 1e30, "NaN", "Infinity"]);
    default:
      return random.pick(isOdd ? (edges[scalar ?? 0] ?? [0]) : [0, 1, 2, 100]);
  }
}

function nameOf(
  { values }: { readonly values: readonly { readonly name: string }[] },
  random: Random,
) {
  return random.pick(values).name;
}

const wellKnown: { readonly [typeName: string]: readonly JsonValue[] } = {
  "google.protobuf.Timestamp": [
    "2026-11-22T00:00:00Z",
    "2100-01-01T00:00:00.000000001Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999999Z",
  ],
  "google.protobuf.Duration": ["1s", "0s", "-1s", "0.000000001s", "315576000000s", "-0.5s"],
  "google.protobuf.FieldMask": [
    ...["", "name", "displayName,group", "projectRoleAssertion", "x", "name,name", "id", "a.b.c"],
    "x,".repeat(1_000),
  ],
  "google.protobuf.Struct": [
    {},
    { length: 200_000_000 },
    { id: "AA", rawId: "AA", type: "public-key", response: { attestationObject: { length: 9 } } },
    { __proto__x: [null, [[{}]], 1e308], constructor: { prototype: {} } },
  ],
};

const unsigned32 = [1, 1_000, 1_001, 2 ** 31, 2 ** 32 - 1];
const signed32 = [-1, 2 ** 31 - 1, -(2 ** 31)];
const unsigned64 = ["9007199254740991", "9007199254740992", "18446744073709551615"];
const signed64 = ["-1", "9223372036854775807", "-9223372036854775808"];
const edges: { readonly [scalar: number]: readonly JsonValue[] } = {
  [ScalarType.UINT32]: unsigned32,
  [ScalarType.FIXED32]: unsigned32,
  [ScalarType.INT32]: signed32,
  [ScalarType.SINT32]: signed32,
  [ScalarType.SFIXED32]: signed32,
  [ScalarType.UINT64]: unsigned64,
  [ScalarType.FIXED64]: unsigned64,
  [ScalarType.INT64]: signed64,
  [ScalarType.SINT64]: signed64,
  [ScalarType.SFIXED64]: signed64,
};

/** Texts of which some code somewhere has made something else than a text. */
function oddText({ random, place }: Values): string {
  const [repeated, count] = [random.pick(["a", " ", "é", "😀", "\u202e", "\n"]), lengths];
  return random.once(3) ? repeated.repeat(random.pick(count)) : random.pick([...odd, place.human]);
}

const lengths = [1, 2, 7, 8, 20, 21, 50, 51, 200, 201, 256, 257, 2_000, 2_001, 2_048, 2_049, 9_000];
const odd = [
  ...["", " ", "\u0000", "a\u0000b", "\ufeff", "\u2800", "\u200d", "e\u0301", "İ", "ﬃ", "\uffff"],
  ...["__proto__", "constructor", "toString", "null", "undefined", "NaN", "-1", "0x10", "1e309"],
  ...["' OR 1=1 --", "%", "_", "%%", "*", '"', "'", "\\", "<script>", "../../etc/passwd"],
  ...["javascript:alert(1)", "http://127.0.0.1:1/", "https://[::1]/", "file:///etc/passwd"],
  ...["https://a:b@c:99999/", "http://\u0000", "//evil.example", "urn:x", "https://%zz/"],
  ...["a@b", "@", "a@[127.0.0.1]", '"a b"@c.example', `${"a".repeat(64)}@example.com`],
  ...["+1", "+999999999999999", "0041446681800", "+41 44 668 18 00;ext=1", "tel:+41446681800"],
  ...["$2b$31$", "$argon2id$v=19$m=4294967295,t=1,p=1$AAAA$AAAA", "$1$a$b", "$scrypt$", "$"],
  ...["while(true){}", "(".repeat(1_900), "/(a+)+$/", "`${`", "import('fs')", "\u2028"],
  ...["IAM_OWNER", "ORG_OWNER", "PROJECT_OWNER", "de-CH", "x-klingon", "𝕬𝖉𝖒𝖎𝖓"],
  "00000000-0000-7000-8000-000000000000",
  "A".repeat(10_000),
];

type Plausible = (values: Values, about: string) => string;

/** What a field of the name is for. */
const plausible: { readonly [name: string]: Plausible } = {
  id: ({ place }, about) => {
    if (about.includes("Project")) return place.project;
    if (about.includes("Action")) return place.action;
    return about.includes("IDP") ? place.idp : place.human;
  },
  user_id: ({ place, random }, about) =>
    /Personal|Member/.test(about) ? place.machine : random.once(5) ? place.machine : place.human,
  project_id: ({ place }) => place.project,
  app_id: ({ place }, about) => (about.includes("API") ? place.apiApp : place.app),
  idp_id: ({ place }) => place.idp,
  config_id: ({ place }) => place.idp,
  token_id: ({ place }) => place.tokenId,
  aggregate_id: ({ place }) => place.human,
  resource_owner: ({ place }) => place.organization,
  code_id: ({ place }) => place.codeId,
  code: ({ place, random }) => (random.once(2) ? place.code : "AAAAAA"),
  verification_code: () => "AAAAAA",
  roles: ({ random }, about) =>
    about.includes("Project") ? "PROJECT_OWNER" : random.pick(["ORG_OWNER_VIEWER", "ORG_OWNER"]),
  email: () => "grace@example.com",
  phone: ({ random }) => `+4144668${1_000 + random.below(9_000)}`,
  preferred_language: () => "de",
  password: () => "correct horse battery",
  value: () => `$2b$10$${"a".repeat(53)}`,
  otp_code: () => "JBSWY3DPEHPK3PXPJBSWY3DP",
  redirect_uris: () => "https://app.example.com/callback",
  post_logout_redirect_uris: () => "https://app.example.com/bye",
  additional_origins: () => "https://app.example.com",
  issuer: () => "https://idp.example.com",
  jwt_endpoint: () => "https://idp.example.com/jwt",
  keys_endpoint: () => "https://idp.example.com/keys",
  metadata_url: () => "https://127.0.0.1:1/metadata",
  scopes: () => "openid",
  script: () => "let a = 1",
  event_types: () => "user.human.added",
  aggregate_types: () => "user",
};

function plausibleText(name: string, about: string, values: Values): string {
  return plausible[name]?.(values, about) ?? `${name} ${values.serial}`;
}
