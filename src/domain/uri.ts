import type { Violation } from "./decision.ts";
import { nameViolations } from "./name.ts";

/** Schemes that run or read something on the device that follows the link. */
const scriptCapable = ["javascript:", "data:", "vbscript:", "file:"];

// scheme "://" host [":" port], where the host is a name, an IPv4 or a bracketed IPv6 address.
const origin =
  /^[a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)(?::\d{1,5})?$/i;

/**
 * White space, control characters: parsers drop some of them, so that `java\nscript:` would pass.
 */
const invisible = /[\s\p{Cc}]/u;

/**
 * What http and https URIs begin with (RFC 9110, 4.2). `URL` repairs `https:host` and
 * `https:\\host` instead of refusing them, so that what is stored would lead elsewhere in others.
 */
const httpWithHost = /^https?:\/\/[^/?#\\]+(?:[/?#][^\\]*)?$/i;

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
  if (invisible.test(uri)) return "must not contain white space or control characters";
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
  const isHttp = httpWithHost.test(url) && !invisible.test(url) && URL.canParse(url);
  return isHttp ? [] : [{ field, description: "must be an absolute http or https URL" }];
}

/** The issuer of an OIDC provider (OIDC Core 1.0, 2): https, or http on this device alone. */
export function issuerViolations(field: string, issuer: string): readonly Violation[] {
  const isUrl = httpUrlViolations(field, issuer).length === 0;
  // A user is looked for in the text, because an empty one is no longer there once it is parsed.
  if (isUrl && !/[?#]|^[^/]*\/\/[^/]*@/.test(issuer)) {
    const { protocol, hostname } = new URL(issuer);
    if (protocol === "https:" || isLoopback(hostname)) return [];
  }
  const description =
    "must be an https URL (http for loopback hosts) without user, query or fragment";
  return [{ field, description }];
}

/** The issuer of a JWT, a StringOrURI (RFC 7519, 2): what has a colon must be a URI. */
export function stringOrUriViolations(field: string, text: string): readonly Violation[] {
  const isUri = /^[a-z][a-z0-9+.-]*:/i.test(text) && !invisible.test(text) && URL.canParse(text);
  if (isUri || !text.includes(":")) return nameViolations(field, text);
  return [{ field, description: "must be a URI, because it has a colon" }];
}
