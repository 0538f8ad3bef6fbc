import type { errors, Provider } from "oidc-provider";
import type { ProviderParts } from "../base/parts.ts";
import { findUserOnce } from "../base/rows.ts";
import { routes } from "../base/site.ts";
import { problemWith, subjectOf } from "../token/assertion.ts";
import { machineGrant, nobodyId, signerKeysOf } from "../token/machine-client.ts";

/**
 * The form of a request for tokens with the client that the library asks each for. Who signs an
 * assertion need not name one (RFC 7521, 4.1): it is whom the assertion is of.
 */
export function withSigner(sent: Buffer): Buffer {
  const fields = new URLSearchParams(sent.toString());
  if (fields.get("grant_type") !== machineGrant) return sent;
  fields.set("client_id", subjectOf(fields.get("assertion") ?? "") || nobodyId);
  return Buffer.from(fields.toString());
}

/**
 * Adds the grant of machines that sign with a key: what they get is as with a client secret.
 * Whatever is wrong with an assertion is refused in the same words, and after the same work, so
 * that nobody learns which machines and keys there are.
 */
export function registerMachineGrant(
  provider: Provider,
  parts: ProviderParts,
  { InvalidGrant, InvalidRequest }: typeof errors,
): void {
  const names = ["assertion", "scope"];
  provider.registerGrantType(
    machineGrant,
    async (ctx) => {
      const { client, params } = ctx.oidc;
      const { assertion, scope } = params ?? {};
      if (assertion === undefined) throw new InvalidRequest("the assertion is missing");
      const found = await findUserOnce(parts, client.clientId);
      const problem = await problemWith(parts, {
        assertion: String(assertion),
        subject: client.clientId,
        path: routes.token,
        findKeys: (keyId = "") => signerKeysOf(found, keyId, parts.now()),
      });
      if (problem !== undefined) throw new InvalidGrant(problem);
      const token = new provider.ClientCredentials({ client, scope });
      ctx.oidc.entity("ClientCredentials", token);
      ctx.body = {
        access_token: await token.save(),
        expires_in: token.expiration,
        token_type: token.tokenType,
        scope: token.scope,
      };
    },
    names,
  );
}
