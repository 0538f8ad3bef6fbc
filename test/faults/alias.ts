import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Mistakes of the names by which clients of the compatible API know this service. */
export const aliasFaults: readonly Fault[] = [
  [
    "streams of HTTP/2 not renamed",
    at("gateway/alias.ts", `headers[":path"] = ownTarget(target, alias);`, "void target;"),
  ],
  [
    "requests as to a proxy not renamed",
    at("alias.ts", `const given = target.replace(host, "");`, "const given = target;"),
  ],
  [
    "the header of an alias left beside ours",
    at("gateway/alias.ts", "  headers[organizationHeader] = own", "  headers[name] = own"),
  ],
  [
    "the option of access declared by two files",
    at("gateway/descriptors.ts", "proto.extension.length > 0", "proto.extension.length > 9"),
  ],
  [
    "services of an alias not described",
    at(
      "gateway/reflection.ts",
      "schemaOf([...services, ...aliased], more)",
      "schemaOf(services, more)",
    ),
  ],
  [
    "the header of an alias not sent by pages of other origins",
    at("gateway/cors.ts", "[...allowedHeaders, ...named]", "allowedHeaders"),
  ],
  [
    "claims by two names counted once",
    at(
      "provider/token/roles.ts",
      "JSON.stringify(withAliases(claims, parts.alias))",
      "JSON.stringify(claims)",
    ),
  ],
  [
    "access tokens without the claims of an alias",
    at(
      "provider/library/enveloping.ts",
      "withAliases({ ...roles, ...groups }, rows.alias)",
      "{ ...roles, ...groups }",
    ),
  ],
  [
    "scopes of an alias that are sent in a form not read",
    at(
      "provider/own-scopes.ts",
      "return sent?.includes(alias) ?",
      "return sent?.includes('\\0') ?",
    ),
  ],
];
