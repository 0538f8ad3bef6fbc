import type { FuzzRequest } from "./request.ts";
import type { Values } from "./value.ts";

const paths = [
  ...["/ui/initialize", "/ui/passwordless/init", "/ui/phone/verify", "/ui/done"],
  ...["/ui/email/verify", "/ui/password", "/ui/password/changed", "/ui/owner"],
  "/device",
];
const others = ["/", "/ui", "/ui/", "/ui/assets/x.js", "/ui/initialize/x", "/ui/..%2f", "/healthz"];
const formType = "application/x-www-form-urlencoded";
const types = [
  formType,
  `${formType}; charset=utf-8`,
  "multipart/form-data",
  "application/json",
  "",
];

/** A page for people as a link opens it, or its form as it is sent, right or with what is wrong. */
export function pageRequest(values: Values): FuzzRequest {
  const { random } = values;
  const path = random.once(8) ? random.pick(others) : random.pick(paths);
  const isForm = random.once(2);
  const fields = encoded(fieldsFor(path, values), values);
  const verb = random.once(30) ? random.pick(["PUT", "HEAD", "OPTIONS"]) : isForm ? "POST" : "GET";
  const type = random.once(10) ? random.pick(types) : formType;
  const headers: (readonly [string, string])[] = [
    ["accept", random.pick(["text/html", "*/*", "application/json", ";;q=x,", ""])],
    ["accept-language", random.pick(["de", "fr;q=0.5, it;q=2", "*", "x-klingon", ",;=", "en-US"])],
    ...(isForm ? [["content-type", type] as const] : []),
    ...(random.once(20) ? [["content-encoding", "gzip"] as const] : []),
    ...senderOf(random),
  ];
  const version = random.pick(["1.1", "2.0"] as const);
  const title = `page HTTP/${version} ${verb} ${path}`;
  const target = isForm ? path : `${path}?${fields}`.slice(0, 12_000);
  const body = Buffer.from(isForm ? fields : "");
  return { title, wire: { title, version, verb, path: target, headers, body } };
}

/** Where a browser says that a form is from: mostly a page of the service. */
export function senderOf(random: Values["random"]): readonly (readonly [string, string])[] {
  if (random.once(20)) return [["origin", random.pick(["https://evil.example", "null", "", "x"])]];
  const site = random.once(20) ? random.pick(["cross-site", "same-site", "x"]) : "same-origin";
  return [["sec-fetch-site", site]];
}

function fieldsFor(path: string, values: Values): readonly [string, string][] {
  const { place, random } = values;
  const code = random.pick([place.code, "AAAAAA", "0".repeat(32), " a a a a a a ", "\ufeff", ""]);
  const fields: [string, string][] = [
    ["userID", place.human],
    ["orgID", place.organization],
    ["codeID", place.codeId],
    ["code", code],
    ["user_code", random.pick(["BCDF-GHJK", "bcdf ghjk", code])],
    ["after", random.pick(["account", "phone", "passkey", "__proto__", ""])],
    ["step", random.pick(["code", "account", "account", "none"])],
    ["password", random.pick(["correct horse battery", "short", "x".repeat(257), "\u0000"])],
  ];
  const isWanted = () => !random.once(path === "/ui/done" ? 3 : 12);
  const given = fields.filter(isWanted);
  return random.once(20) ? [...given, ...given] : given;
}

/** A query, or the body of a form, with wrong escapes and at most some kilobytes more. */
export function encoded(
  fields: readonly (readonly [name: string, value: string])[],
  { random }: Pick<Values, "random">,
): string {
  const text = String(
    new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])),
  );
  if (!random.once(8)) return text;
  const place = random.below(text.length + 1);
  const pieces = ["%zz", "%", "%00", "&&", "=", "%ff%fe", "+", "a".repeat(4_096), "%F0%9F%98%80"];
  return text.slice(0, place) + random.pick(pieces) + text.slice(place);
}
