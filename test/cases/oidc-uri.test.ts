import { runCases } from "../harness/cases.ts";
import { oidcRefused, oidcStored } from "./apps.ts";

/** Origins that are stored as they are given. */
const origins = [
  ["https", "https://app.example.com"],
  ["http with a port", "http://localhost:3000"],
  ["the highest port", "https://app.example.com:65535"],
  ["a custom scheme", "com.example.app://callback"],
  ["an IPv4 address", "http://127.0.0.1:8080"],
  ["an IPv6 address", "https://[2001:db8::1]:8443"],
  ["capital letters", "HTTPS://App.Example.COM"],
  ["an underscore", "https://my_app.example.com"],
] as const;

const noOrigins = [
  ["a trailing slash", "https://app.example.com/"],
  ["a path", "https://app.example.com/path"],
  ["a query", "https://app.example.com?a=b"],
  ["an empty query", "https://app.example.com?"],
  ["a fragment", "https://app.example.com#a"],
  ["an empty fragment", "https://app.example.com#"],
  ["a user", "https://user@app.example.com"],
  ["a user and a password", "https://user:password@app.example.com"],
  ["no scheme", "app.example.com"],
  ["no scheme but a port", "localhost:3000"],
  ["no scheme but slashes", "//app.example.com"],
  ["no host", "https://"],
  ["no host but a port", "https://:443"],
  ["javascript", "javascript://app.example.com"],
  ["JavaScript", "JavaScript://app.example.com"],
  ["file", "file://app.example.com"],
  ["data", "data://app.example.com"],
  ["vbscript", "vbscript://app.example.com"],
  ["resource", "resource://gre"],
  ["a drive", "c://windows"],
  ["a port out of range", "https://app.example.com:65536"],
  ["a port that is no number", "https://app.example.com:http"],
  ["an empty port", "https://app.example.com:"],
  ["a wildcard", "https://*.example.com"],
  ["nothing but a wildcard", "*"],
  ["null", "null"],
  ["nothing", ""],
  ["white space within", "https://app.example .com"],
  ["a tab within", "https://app.exa\tmple.com"],
  ["a backslash", "https:\\\\app.example.com"],
  ["two origins", "https://a.example,https://b.example"],
  ["an address out of range", "http://256.1.1.1"],
  ["a broken IPv6 address", "http://[1:2:3]"],
] as const;

const uris = [
  ["https", "https://app.example.com/callback?a=b"],
  ["http", "http://localhost:3000/callback"],
  ["a custom scheme", "myapp://callback"],
  ["a custom scheme without slashes", "com.example.app:/oauth2redirect"],
  ["letters of other scripts", "https://bücher.example/zurück/😀"],
  ["a scheme that only contains javascript", "xjavascript:callback"],
  ["a scheme of two letters", "my:/callback"],
  ["an extension of a browser", "chrome-extension://abcdefgh/callback"],
] as const;

const noUris = [
  ["javascript", "javascript:alert(1)"],
  ["javascript in capitals", "JaVaScRiPt:alert(1)"],
  ["javascript behind a space", " javascript:alert(1)"],
  ["javascript behind a control character", "\u0001javascript:alert(1)"],
  ["javascript with a tab within", "java\tscript:alert(1)"],
  ["javascript with a line break within", "java\nscript:alert(1)"],
  ["javascript with a line break before the colon", "javascript\r\n:alert(1)"],
  ["javascript that looks like a host", "javascript://app.example.com/%0aalert(1)"],
  ["data", "data:text/html,<script>alert(1)</script>"],
  ["data in capitals", "DATA:text/html,x"],
  ["vbscript", "vbscript:msgbox(1)"],
  ["file", "file:///etc/passwd"],
  ["blob", "blob:https://app.example.com/0d5bbc"],
  ["filesystem", "filesystem:https://app.example.com/temporary/a"],
  ["view-source", "view-source:https://app.example.com/"],
  ["about", "about:blank"],
  ["about with a number", "about:80"],
  ["feed, in which there is a script", "feed:javascript:alert(1)"],
  ["jar, in which there is a file", "jar:https://app.example.com/a.jar!/b.html"],
  ["mhtml", "mhtml:https://app.example.com/a!b"],
  ["resource", "resource://gre/"],
  ["res", "res://ieframe.dll/a.htm"],
  ["chrome in capitals", "CHROME://settings"],
  ["content of Android", "content://com.example.provider/a"],
  ["a drive", "C:/Windows/System32/calc.exe"],
  ["a host and a port", "localhost:3000/callback"],
  ["a host and a port alone", "app.example.com:8443"],
  ["a relative path", "/callback"],
  ["no scheme", "app.example.com/callback"],
  ["no scheme but slashes", "//app.example.com/callback"],
  ["https without a host", "https:///callback"],
  ["https without slashes", "https:app.example.com"],
  ["https with backslashes", "https:\\\\app.example.com"],
  ["a backslash that moves the host", "https://evil.example\\@app.example.com"],
  ["a port out of range", "https://app.example.com:65536/"],
  ["a space within", "https://app.example.com/call back"],
  ["nothing", ""],
  ["nothing but white space", " \t "],
] as const;

/** RFC 6749, 3.1.2: where a code or token is sent to has no fragment. Where one logs out may. */
const fragments = [
  ["a fragment", "https://app.example.com/callback#a"],
  ["an empty fragment", "https://app.example.com/callback#"],
  ["a fragment behind a query", "https://app.example.com/callback?a=b#c"],
  ["a fragment of a custom scheme", "myapp://callback#a"],
  ["a fragment on this device", "http://127.0.0.1:3000#/callback"],
] as const;

const good = "https://good.example";

runCases("GHSA-pr34-2v5x-6qjq, CVE-2026-9086: additional origins of AddOIDCApp", [
  ...origins.map(([what, origin]) =>
    oidcStored(
      `take ${what}`,
      { additionalOrigins: [good, origin] },
      { additionalOrigins: [good, origin] },
    ),
  ),
  ...noOrigins.map(([what, origin]) =>
    oidcRefused(`refuse ${what}`, { additionalOrigins: [good, origin] }, ["additional_origins[1]"]),
  ),
]);

runCases("GHSA-pr34-2v5x-6qjq, CVE-2026-9086: redirect URIs of AddOIDCApp", [
  ...uris.map(([what, uri]) =>
    oidcStored(
      `take ${what}`,
      { redirectUris: [good, uri], postLogoutRedirectUris: [good, uri] },
      { redirectUris: [good, uri], postLogoutRedirectUris: [good, uri] },
    ),
  ),
  // One application has the same entry in both lists: the rule is one, and each list is named.
  ...noUris.map(([what, uri]) =>
    oidcRefused(
      `refuse ${what}`,
      { redirectUris: [good, uri], postLogoutRedirectUris: [uri, good] },
      ["redirect_uris[1]", "post_logout_redirect_uris[0]"],
    ),
  ),
  ...fragments.flatMap(([what, uri]) => [
    oidcRefused(`refuse ${what}`, { redirectUris: [good, uri] }, ["redirect_uris[1]"]),
    oidcStored(
      `take ${what} after logout`,
      { postLogoutRedirectUris: [good, uri] },
      { postLogoutRedirectUris: [good, uri] },
    ),
  ]),
  oidcStored(
    "are trimmed, as the other lists are",
    {
      redirectUris: [" https://a.example/callback\n"],
      postLogoutRedirectUris: ["\thttps://a.example/bye\u00a0"],
      additionalOrigins: ["\r\n https://b.example "],
    },
    {
      redirectUris: ["https://a.example/callback"],
      postLogoutRedirectUris: ["https://a.example/bye"],
      additionalOrigins: ["https://b.example"],
    },
  ),
]);
