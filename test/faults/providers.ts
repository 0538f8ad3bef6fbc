import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

const change = "domain/idp-change.ts";
const rules = "api/idp/rules.ts";

/** Mistakes of identity providers and their configuration. */
export const providerFaults: readonly Fault[] = [
  [
    "a provider of another organization changed",
    at(change, "return parentOf(state) === reach.organization", "return reach !== undefined"),
  ],
  [
    "a provider of another template changed",
    at(change, "state.template !== template) return", 'state.template === "JWT") return'),
  ],
  [
    "another issuer for linked users",
    at(change, "isElsewhere && linked > 0", "isElsewhere && linked > 2"),
  ],
  ["other keys for linked users", at(change, "[issuer, keysEndpoint]", "[issuer]")],
  [
    "automatic creation that the options do not allow",
    at(change, "options?.isCreationAllowed === false && autoRegister", "false"),
  ],
  ["options by which nobody gets in", at(rules, "return [nobody]", "return []")],
  [
    "links by user name",
    at(rules, "autoLinking === AutoLinkingOption.USERNAME ?", "autoLinking === undefined ?"),
  ],
  [
    "addresses of Entra that its tenants verify",
    at("domain/idp-sign-in.ts", '? "XMS_EDOV" : "NEVER"', '? "CLAIM" : "NEVER"'),
  ],
  [
    "a client secret that is left under a master key",
    at("operate/keys.ts", '  "idp.client.config.added",\n', ""),
  ],
  [
    "a provider out of use that is told to be in use",
    at("api/idp/show.ts", "state.isInactive ?", "state.isInactive === undefined ?"),
  ],
  [
    "providers of before without PKCE",
    at("domain/idp-sign-in.ts", "usesPkce: true", "usesPkce: false"),
  ],
];

/** What must find them. */
export const providerParts: readonly (readonly string[])[] = [
  ["test/domain/idp", "test/cases/idp-(?:status|template)"],
  ["test/operate/keys\\."],
];
