import type { ClientMetadata } from "oidc-provider";
import { accountClientId, accountPaths } from "../base/destination.ts";
import { oursBeside } from "./client.ts";

/**
 * The account page as the library reads it. Its pages are behind the session of the browser itself,
 * so a login to it leads to no token and no code: OAuth's response type `none`.
 */
export function accountMetadataOf(publicUrl: string): ClientMetadata {
  return {
    client_id: accountClientId,
    token_endpoint_auth_method: "none",
    redirect_uris: [publicUrl + accountPaths.callback],
    response_types: ["none"],
    grant_types: [],
    ours: oursBeside(""),
  };
}
