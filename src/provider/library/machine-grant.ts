import type { errors, KoaContextWithOIDC, Provider } from "oidc-provider";
import type { ProviderParts } from "../base/parts.ts";
import { findUserOnce } from "../base/rows.ts";
import { routes } from "../base/site.ts";
import { problemWith, subjectOf } from "../token/assertion.ts";
import { oursOf } from "../token/client.ts";
import { machineGrant, nobodyId, signerKeysOf } from "../token/machine-client.ts";
import { isOfOrganizations } from "../token/scopes.ts";

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
 * Refuses a machine that has proven itself the scope of an organization that is not its own: a
 * token says the scopes of whom it is for, as those of people do.
 */
export function refuseOtherOrganization(
  { client, params }: Pick<KoaContextWithOIDC["oidc"], "client" | "params">,
  { InvalidScope }: Pick<typeof errors, "InvalidScope">,
): void {
  const isOwn = client === undefined || isOfOrganizations(oursOf(client).project, params?.scope);
  if (!isOwn)
    throw new InvalidScope("the machine is of another organization", String(params?.scope));
}

/**
 * Adds the grant of machines that sign with a key: what they get is as with a client secret.
 * Whatever is wrong with an assertion is refused in the same words, and after the same work, so
 * that nobody learns which machines and keys there are.
 */
export function registerMachineGrant(
  provider: Provider,
  parts: ProviderParts,
  library: typeof errors,
): void {
  const { InvalidGrant, InvalidRequest } = library;
  const names = ["assertion", "scope"];
  provider.registerGrantType(
    machineGrant,
    async (ctx) => {
      const { client, params } = ctx.oidc;
      const { assertion } = params ?? {};
      if (assertion === undefined) throw new InvalidRequest("the assertion is missing");
      const found = await findUserOnce(parts, client.clientId);
      const problem = await problemWith(parts, {
        assertion: String(assertion),
        subject: client.clientId,
        path: routes.token,
        findKeys: (keyId = "") => signerKeysOf(found, keyId, parts.now()),
      });
      if (problem !== undefined) throw new InvalidGrant(problem);
      refuseOtherOrganization(ctx.oidc, library);
      // As the library does with a secret: what is not offered is in no token.
      const scope = [...ctx.oidc.requestParamOIDCScopes].join(" ") || undefined;
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
