import { oidcHasSecret } from "../../domain/app/app.ts";
import type { Fields } from "../../pages/form.ts";
import { isHashOf } from "../../secrets/tokens.ts";
import type { ProviderParts } from "../base/parts.ts";
import { type FoundApp, findApp, type Rows } from "../base/rows.ts";
import { problemWith, publicKeysOf, signersOf, subjectOf } from "./assertion.ts";

type Parts = Rows & Pick<ProviderParts, "machineNow" | "now" | "publicUrl">;

/** What a request says of the client that makes it. */
interface Shown {
  readonly authorization: string | undefined;
  readonly fields: Fields;
  /** The path that it is made to. */
  readonly path: string;
}

/** Who makes a request; else why nobody does, in words for the log that repeat nothing sent. */
export type Authenticated = { readonly kind: "app"; readonly app: FoundApp } | Nobody;

interface Nobody {
  readonly kind: "nobody";
  /** Malformed is what proves itself twice or as two, and what lacks the token that it is about. */
  readonly error: "invalid_client" | "invalid_request";
  readonly problem: string;
  readonly clientId?: string;
}

/**
 * The application that makes a request, by the one way in which it proves itself (RFC 6749, 2.3;
 * RFC 7523, 2.2). Where it has a secret, that may come in the header or in the body, as the library
 * takes it at its endpoints. A client without a secret or a key is none.
 */
export async function authenticate(parts: Parts, shown: Shown): Promise<Authenticated> {
  const { authorization, fields } = shown;
  const assertion = fields.of("client_assertion");
  const given = [authorization ?? "", fields.of("client_secret"), assertion];
  const ways = given.filter((one) => one !== "").length;
  if (ways === 0) return nobody("neither a secret nor an assertion was sent");
  if (ways > 1) return malformed("it authenticates in more than one way");
  if (assertion !== "") return await byAssertion(parts, shown, assertion);
  const named = fields.of("client_id");
  const [id, secret] =
    authorization === undefined ? [named, fields.of("client_secret")] : readBasic(authorization);
  if (named !== "" && named !== id) return malformed("it names two clients");
  const app = await findApp(parts, id);
  if (app === undefined) return nobody(unknown);
  const { authMethod, clientSecretHash } = app.config;
  if (!oidcHasSecret(authMethod)) return nobody(`its auth method is ${authMethod}`, app);
  if (clientSecretHash === undefined) return nobody("it has no secret", app);
  if (!isHashOf(clientSecretHash, secret)) return nobody("the secret is wrong", app);
  return { kind: "app", app };
}

const unknown = "no application has this client id";

function nobody(problem: string, app?: FoundApp): Nobody {
  const known = app === undefined ? {} : { clientId: app.config.clientId };
  return { kind: "nobody", error: "invalid_client", problem, ...known };
}

/** What is said of a request that has another form than it has to have. */
export function malformed(problem: string): Nobody {
  return { kind: "nobody", error: "invalid_request", problem };
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
): Promise<Authenticated> {
  if (fields.of("client_assertion_type") !== assertionType) {
    return nobody("the client_assertion_type is wrong");
  }
  const clientId = subjectOf(assertion);
  const app = await findApp(parts, clientId);
  if (app === undefined) return nobody(unknown);
  if (fields.of("client_id") !== "" && fields.of("client_id") !== clientId) {
    return nobody("the assertion belongs to another client", app);
  }
  const { authMethod } = app.config;
  if (authMethod !== "PRIVATE_KEY_JWT") return nobody(`its auth method is ${authMethod}`, app);
  const findKeys = (keyId?: string) => publicKeysOf(signersOf(app, keyId, parts.now()));
  const problem = await problemWith(parts, { assertion, subject: clientId, path, findKeys });
  return problem === undefined ? { kind: "app", app } : nobody(problem, app);
}
