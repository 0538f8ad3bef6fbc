import { httpWithHost, isHttpUrl, isLoopback } from "../text/http-url.ts";
import { hasUnseen } from "../text/visible.ts";
import type { Problem } from "./decision.ts";
import { nameProblem } from "./name.ts";

/**
 * Schemes that no application can have, because browsers and systems keep them for what runs on or
 * is read from the device that follows the link: those that Chromium opens by itself or hands to
 * nobody (`url_constants`, `external_protocol_handler`), those of Gecko that the web must not load,
 * and those that lead to any other link within them.
 */
export const deviceSchemes: readonly string[] = [
  // Scripts, and documents that a link itself or another page has made.
  ...["javascript", "vbscript", "about", "blob", "data", "filesystem"],
  // Other links: `feed:javascript:`, `jar:https:`.
  ...["feed", "jar", "mhtml", "view-source", "wyciwyg"],
  // Files, and what comes with the browser or the system.
  ...["chrome", "content", "devtools", "disk", "disks", "file", "hcp", "mk", "ms-help", "ms-its"],
  ...["res", "resource", "shell"],
];

/** A host and a port without a scheme, which URL parsers take for a scheme and a path. */
const hostAndPort = /^([a-z\d.-]+|\[[\da-f:.]+\]):\d{1,5}(?:[/?#]|$)/i;

// scheme "://" host [":" port], where the host is a name, an IPv4 or a bracketed IPv6 address.
const origin =
  /^[a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)(?::\d{1,5})?$/i;

/**
 * The rule of a redirect URI: that of `linkProblem`, and no fragment, which would take the place of
 * what the answer adds (RFC 6749, 3.1.2).
 */
export function redirectUriProblem(uri: string): Problem {
  return (
    refuseLink(uri, redirectUriProblem) ??
    (uri.includes("#") ? "must not have a fragment" : undefined)
  );
}

/** The rule of a URI that people are led to: absolute, and unable to run a script. */
export function linkProblem(uri: string): Problem {
  return refuseLink(uri, linkProblem);
}

/** What is wrong with a link; what it suggests instead keeps the whole rule. */
function refuseLink(uri: string, rule: (uri: string) => Problem): Problem {
  if (hasUnseen(uri)) return "must not contain white space, control or invisible characters";
  const [, host] = hostAndPort.exec(uri) ?? [];
  if (host !== undefined && !isOfDevice(`${host}:`)) {
    const meant = `${isLoopback(host.toLowerCase()) ? "http" : "https"}://${uri}`;
    const hint = rule(meant) === undefined ? `: did you mean ${meant}?` : "";
    return `must begin with a scheme${hint}`;
  }
  if (!URL.canParse(uri))
    return "must be an absolute URI, for example https://app.example.com/callback";
  const { protocol } = new URL(uri);
  if ((protocol === "http:" || protocol === "https:") && !httpWithHost.test(uri)) {
    return `must begin with ${protocol}// and a host, and have no backslash`;
  }
  if (isOfDevice(protocol)) {
    return `must not have the scheme ${protocol} because it can run scripts or read files`;
  }
  return undefined;
}

/** The origin from which a page at the URI calls, in a list that is empty outside the web. */
export function originOf(uri: string): readonly string[] {
  const { protocol, origin: web } = new URL(uri);
  return protocol === "http:" || protocol === "https:" ? [web] : [];
}

/** The rule of an origin, which is as browsers send it: scheme://hostname[:port]. */
export function originProblem(given: string): Problem {
  return isOrigin(given)
    ? undefined
    : "must have the form scheme://hostname[:port] without user, path, query or fragment";
}

function isOrigin(given: string): boolean {
  if (!origin.test(given) || !URL.canParse(given)) return false;
  return !isOfDevice(new URL(given).protocol);
}

/** Whether a scheme with its colon is one of the device; a single letter is a drive of Windows. */
function isOfDevice(protocol: string): boolean {
  const scheme = protocol.toLowerCase().replace(/:$/, "");
  return scheme.length === 1 || deviceSchemes.includes(scheme);
}

/** The rule of an absolute http or https URL. */
export function httpUrlProblem(url: string): Problem {
  return isHttpUrl(url)
    ? undefined
    : "must be an absolute http or https URL without user or password";
}

/** The rule of a URL that is called: that of `httpUrlProblem`, and no fragment. */
export function callProblem(url: string): Problem {
  return httpUrlProblem(url) ?? (url.includes("#") ? "must not have a fragment" : undefined);
}

/** The rule of the issuer of an OIDC provider (OIDC Core 1.0, 2): https, or http here. */
export function issuerProblem(issuer: string): Problem {
  if (isHttpUrl(issuer) && !/[?#]/.test(issuer)) {
    const { protocol, hostname } = new URL(issuer);
    if (protocol === "https:" || isLoopback(hostname)) return undefined;
  }
  return "must be an https URL (http for loopback hosts) without user, query or fragment";
}

/** The rule of the issuer of a JWT (RFC 7519, 2): a text with a colon is a URI. */
export function stringOrUriProblem(text: string): Problem {
  const isUri = /^[a-z][a-z0-9+.-]*:/i.test(text) && !hasUnseen(text) && URL.canParse(text);
  if (isUri || !text.includes(":")) return nameProblem(text);
  return "must be a URI, because it has a colon";
}
