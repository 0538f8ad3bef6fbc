import { httpWithHost, isHttpUrl, isLoopback } from "../text/http-url.ts";
import { hasUnseen } from "../text/visible.ts";
import type { Violation } from "./decision.ts";
import { nameViolations } from "./name.ts";

/** Schemes that run or read something on the device that follows the link. */
const scriptCapable = [
  ...["javascript:", "data:", "vbscript:", "file:"],
  ...["blob:", "filesystem:", "view-source:"],
];

/** A host and a port without a scheme, which URL parsers take for a scheme and a path. */
const hostAndPort = /^([a-z\d.-]+):\d{1,5}(?:[/?#]|$)/i;

// scheme "://" host [":" port], where the host is a name, an IPv4 or a bracketed IPv6 address.
const origin =
  /^[a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)(?::\d{1,5})?$/i;

/**
 * The broken rules of redirect URIs: those of `linkViolations`, and no fragment, which would take
 * the place of what the answer adds (RFC 6749, 3.1.2).
 */
export function redirectUriViolations(
  field: string,
  uris: readonly string[],
): readonly Violation[] {
  const problemOf = (uri: string) =>
    findLinkProblem(uri) ?? (uri.includes("#") ? "must not have a fragment" : undefined);
  return eachViolation(field, uris, problemOf);
}

/** The broken rules of URIs that people are led to: absolute, and unable to run a script. */
export function linkViolations(field: string, uris: readonly string[]): readonly Violation[] {
  return eachViolation(field, uris, findLinkProblem);
}

/** The violation of each entry of a list that has a problem. */
function eachViolation(
  field: string,
  entries: readonly string[],
  problemOf: (entry: string) => string | undefined,
): readonly Violation[] {
  return entries.flatMap((entry, index) => {
    const description = problemOf(entry);
    return description === undefined ? [] : [{ field: `${field}[${index}]`, description }];
  });
}

function findLinkProblem(uri: string): string | undefined {
  if (hasUnseen(uri)) return "must not contain white space, control or invisible characters";
  const [, host] = hostAndPort.exec(uri) ?? [];
  if (host !== undefined) {
    const meant = isLoopback(host) ? "http" : "https";
    return `must begin with a scheme: did you mean ${meant}://${uri}?`;
  }
  if (!URL.canParse(uri)) return "must be an absolute URI such as https://app.example.com/callback";
  const { protocol } = new URL(uri);
  if ((protocol === "http:" || protocol === "https:") && !httpWithHost.test(uri)) {
    return `must begin with ${protocol}// and a host, and have no backslash`;
  }
  if (scriptCapable.includes(protocol)) {
    return `must not have the scheme ${protocol} because it can run scripts or read files`;
  }
  return undefined;
}

/** The origin from which a page at the URI calls, in a list that is empty outside the web. */
export function originOf(uri: string): readonly string[] {
  const { protocol, origin: web } = new URL(uri);
  return protocol === "http:" || protocol === "https:" ? [web] : [];
}

/** The broken rules of origins, which are as browsers send them: scheme://hostname[:port]. */
export function originViolations(field: string, origins: readonly string[]): readonly Violation[] {
  const form = "must have the form scheme://hostname[:port] without user, path, query or fragment";
  return eachViolation(field, origins, (given) => (isOrigin(given) ? undefined : form));
}

function isOrigin(given: string): boolean {
  if (!origin.test(given) || !URL.canParse(given)) return false;
  return !scriptCapable.includes(new URL(given).protocol);
}

/** The broken rules of an absolute http or https URL. */
export function httpUrlViolations(field: string, url: string): readonly Violation[] {
  if (isHttpUrl(url)) return [];
  return [{ field, description: "must be an absolute http or https URL without user or password" }];
}

/** The broken rules of the issuer of an OIDC provider (OIDC Core 1.0, 2): https, or http here. */
export function issuerViolations(field: string, issuer: string): readonly Violation[] {
  const isUrl = httpUrlViolations(field, issuer).length === 0;
  if (isUrl && !/[?#]/.test(issuer)) {
    const { protocol, hostname } = new URL(issuer);
    if (protocol === "https:" || isLoopback(hostname)) return [];
  }
  const description =
    "must be an https URL (http for loopback hosts) without user, query or fragment";
  return [{ field, description }];
}

/** The broken rules of the issuer of a JWT (RFC 7519, 2): a text with a colon is a URI. */
export function stringOrUriViolations(field: string, text: string): readonly Violation[] {
  const isUri = /^[a-z][a-z0-9+.-]*:/i.test(text) && !hasUnseen(text) && URL.canParse(text);
  if (isUri || !text.includes(":")) return nameViolations(field, text);
  return [{ field, description: "must be a URI, because it has a colon" }];
}
