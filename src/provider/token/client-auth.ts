import { createPublicKey } from "node:crypto";
import { findKey } from "../../domain/app/key.ts";
import { isCurrent } from "../../domain/ending.ts";
import type { Fields } from "../../pages/form.ts";
import { isHashOf } from "../../secrets/tokens.ts";
import type { ProviderParts } from "../parts.ts";
import { type FoundApp, findApp, type Rows } from "../rows.ts";
import { hasBegun, isFirst, isTimely } from "./assertion.ts";
import { type Claims, readJws } from "./jws.ts";

type Parts = Rows & Pick<ProviderParts, "machineNow" | "now" | "publicUrl">;

/** What a request says of the client that makes it. */
interface Shown {
  readonly authorization: string | undefined;
  readonly fields: Fields;
  /** The path that it is made to. */
  readonly path: string;
}

/**
 * The application that makes a request, by the one way in which it proves itself (RFC 6749, 2.3;
 * RFC 7523, 2.2); undefined where it does not. A client without a secret or a key is none.
 */
export async function authenticate(parts: Parts, shown: Shown): Promise<FoundApp | undefined> {
  const { authorization, fields } = shown;
  const assertion = fields.of("client_assertion");
  const given = [authorization ?? "", fields.of("client_secret"), assertion];
  if (given.filter((one) => one !== "").length !== 1) return undefined;
  if (assertion !== "") return await byAssertion(parts, shown, assertion);
  const [method, id, secret] =
    authorization === undefined
      ? ["POST", fields.of("client_id"), fields.of("client_secret")]
      : ["BASIC", ...readBasic(authorization)];
  const app = await findApp(parts, id ?? "");
  const { authMethod, clientSecretHash } = app?.config ?? {};
  if (authMethod !== method || clientSecretHash === undefined) return undefined;
  return isHashOf(clientSecretHash, secret ?? "") ? app : undefined;
}

/** The id and the secret of a header; texts that are nobody's where it has none. */
function readBasic(authorization: string): readonly [id: string, secret: string] {
  const [, encoded = ""] = /^basic ([\w+/=-]+)$/i.exec(authorization) ?? [];
  const [, id = "", secret = ""] = /^([^:]*):(.*)$/s.exec(
    Buffer.from(encoded, "base64").toString(),
  ) ?? ["", "", ""];
  try {
    return [decodeForm(id), decodeForm(secret)];
  } catch {
    return ["", ""];
  }
}

/** A value as forms write it, which both parts of the header are (RFC 6749, 2.3.1). */
function decodeForm(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

async function byAssertion(
  parts: Parts,
  { fields, path }: Shown,
  assertion: string,
): Promise<FoundApp | undefined> {
  if (fields.of("client_assertion_type") !== assertionType) return undefined;
  const clientId = subjectOf(assertion);
  if (fields.of("client_id") !== "" && fields.of("client_id") !== clientId) return undefined;
  const app = await findApp(parts, clientId);
  if (app?.config.authMethod !== "PRIVATE_KEY_JWT") return undefined;
  const nowMs = parts.machineNow();
  const signed = readJws(assertion, (keyId) => {
    const key = findKey(app, keyId);
    if (key === undefined || !isCurrent(key, parts.now())) return undefined;
    return createPublicKey({ key: { ...key.publicKey }, format: "jwk" });
  });
  if (signed === undefined) return undefined;
  const { iss, sub, aud, exp, nbf, jti } = signed.claims;
  const issuer = parts.publicUrl();
  const isForUs = [aud].flat().some((one) => one === issuer || one === issuer + path);
  if (iss !== clientId || sub !== clientId || !isForUs) return undefined;
  if (!isTimely(exp, nowMs) || !hasBegun(nbf, nowMs)) return undefined;
  if (typeof jti !== "string") return app;
  return (await isFirst(parts, { clientId, jti, exp: Number(exp) })) ? app : undefined;
}

/** Whom an assertion is of, before anything of it is believed. */
function subjectOf(assertion: string): string {
  const [, body = ""] = assertion.split(".");
  try {
    const { sub } = JSON.parse(Buffer.from(body, "base64url").toString()) as Claims;
    return typeof sub === "string" ? sub : "";
  } catch {
    return "";
  }
}
