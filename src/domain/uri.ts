import { httpWithHost, isHttpUrl, unseen } from "../http-url.ts";
import type { Violation } from "./decision.ts";
import { nameViolations } from "./name.ts";

/** Schemes that run or read something on the device that follows the link. */
const scriptCapable = ["javascript:", "data:", "vbscript:", "file:"];

// scheme "://" host [":" port], where the host is a name, an IPv4 or a bracketed IPv6 address.
const origin =
  /^[a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)(?::\d{1,5})?$/i;

/** Redirect and post-logout URIs: absolute, and not able to run a script where they lead. */
export function redirectUriViolations(
  field: string,
  uris: readonly string[],
): readonly Violation[] {
  return uris.flatMap((uri, index) => {
    const problem = redirectUriProblem(uri);
    return problem === undefined ? [] : [{ field: `${field}[${index}]`, description: problem }];
  });
}

function redirectUriProblem(uri: string): string | undefined {
  if (unseen.test(uri)) return "must not contain white space, control or invisible characters";
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

/** The origin from which a page at the URI calls, if it is one of the web. */
export function originOf(uri: string): readonly string[] {
  const { protocol, origin: web } = new URL(uri);
  return protocol === "http:" || protocol === "https:" ? [web] : [];
}

/** Origins as browsers send them: scheme://hostname[:port], custom schemes included. */
export function originViolations(field: string, origins: readonly string[]): readonly Violation[] {
  return origins.flatMap((given, index) =>
    isOrigin(given)
      ? []
      : [
          {
            field: `${field}[${index}]`,
            description:
              "must have the form scheme://hostname[:port] without user, path, query or fragment",
          },
        ],
  );
}

function isOrigin(given: string): boolean {
  if (!origin.test(given) || !URL.canParse(given)) return false;
  return !scriptCapable.includes(new URL(given).protocol);
}

/** Whether the host of a parsed URL is this device: localhost, 127.0.0.0/8 or [::1]. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** An absolute http or https URL. */
export function httpUrlViolations(field: string, url: string): readonly Violation[] {
  if (isHttpUrl(url)) return [];
  return [{ field, description: "must be an absolute http or https URL without user or password" }];
}

/** The issuer of an OIDC provider (OIDC Core 1.0, 2): https, or http on this device alone. */
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

/** The issuer of a JWT, a StringOrURI (RFC 7519, 2): what has a colon must be a URI. */
export function stringOrUriViolations(field: string, text: string): readonly Violation[] {
  const isUri = /^[a-z][a-z0-9+.-]*:/i.test(text) && !unseen.test(text) && URL.canParse(text);
  if (isUri || !text.includes(":")) return nameViolations(field, text);
  return [{ field, description: "must be a URI, because it has a colon" }];
}
