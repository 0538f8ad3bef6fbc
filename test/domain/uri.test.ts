import { describe, expect, test } from "@jest/globals";
import {
  deviceSchemes,
  linkProblem,
  originProblem,
  redirectUriProblem,
} from "../../src/domain/uri.ts";
import { isLoopback } from "../../src/text/http-url.ts";
import { anyCharacter } from "../harness/characters.ts";
import { fc } from "../harness/laws.ts";

/** What `cases/oidc-uri.test.ts` shows by example holds for everything that can be thought of. */

const ofDevice = new RegExp(`^(?:${deviceSchemes.join("|")}|.):`, "i");

/** Texts that are near to URIs, as random ones hardly ever are. */
const near = fc
  .array(
    fc.constantFrom(
      ..."https http myapp javascript JAVA script data file vbscript : :// // / \\ @ ? # [ ] ::1 %"
        .split(" ")
        .concat([
          "localhost",
          "a.example",
          "127.0.0.1",
          "443",
          "65536",
          "\t",
          "\n",
          " ",
          "\0",
          "*",
        ]),
      "\u200b",
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(""));
const texts = fc.oneof(near, fc.string({ unit: anyCharacter }), fc.webUrl());

const hosts = fc.oneof(
  fc.domain(),
  fc.ipV4(),
  fc.constantFrom("localhost", "[::1]", "[2001:db8::]"),
);
const ports = fc.oneof(
  fc.constant(""),
  fc.nat(65_535).map((port) => `:${port}`),
);
const schemes = fc.constantFrom("https", "http", "myapp", "com.example.app", "x+y-z.1");
const origins = fc
  .tuple(schemes, hosts, ports)
  .map(([scheme, host, port]) => `${scheme}://${host}${port}`);

describe("redirect URIs", () => {
  test("are checked without ever throwing", () => {
    fc.assert(
      fc.property(texts, (uri) => {
        expect(redirectUriProblem(uri) ?? "must").toMatch(/^must/);
      }),
    );
  });

  test("that are accepted parse, and run no script even where parsers are lenient", () => {
    fc.assert(
      fc.property(texts.filter(isRedirectUri), (uri) => {
        expect(new URL(uri).protocol).not.toMatch(ofDevice);
        // Browsers drop these characters wherever they are.
        expect(uri).toBe(uri.replaceAll(/[\0-\x20\x7f-\xa0]/g, ""));
      }),
    );
  });

  test("lead to the host that is written in them", () => {
    const web = fc
      .tuple(fc.constantFrom("https", "http", "HTTPS"), fc.constantFrom(":", ":/", "://", ":\\\\"))
      .chain(([scheme, divider]) =>
        fc.domain().map((host) => ({ uri: `${scheme}${divider}${host}/`, host, divider })),
      );
    fc.assert(
      fc.property(web, ({ uri, divider }) => {
        expect(isRedirectUri(uri)).toBe(divider === "://");
      }),
    );
  });

  test("with a scheme of the device are refused however it is disguised", () => {
    const mixed = fc.constantFrom(...deviceSchemes).chain((one) => fc.mixedCase(fc.constant(one)));
    const disguised = fc
      .tuple(mixed, fc.nat(10))
      .chain(([scheme, at]) =>
        fc
          .constantFrom("", "\t", "\n", "\r", " ", "\0", "\u0001", "\u00a0", "\u200b")
          .map((hidden) => `${scheme.slice(0, at)}${hidden}${scheme.slice(at)}:x`),
      );
    fc.assert(fc.property(disguised, (uri) => expect(isRedirectUri(uri)).toBe(false)));
  });
});

describe("origins", () => {
  test("are checked without ever throwing", () => {
    fc.assert(
      fc.property(texts, (given) => {
        expect(originProblem(given) ?? "must").toMatch(/^must/);
      }),
    );
  });

  test("of the form scheme://hostname[:port] are accepted", () => {
    fc.assert(fc.property(origins, (origin) => expect(isOrigin(origin)).toBe(true)));
  });

  test("that are accepted have nothing else, and stay origins when written anew", () => {
    fc.assert(
      fc.property(fc.oneof(origins, texts.filter(isOrigin)), (origin) => {
        const { protocol, host, username, password, pathname, search, hash } = new URL(origin);
        expect([username, password, search, hash].join("")).toBe("");
        expect(["", "/"]).toContain(pathname);
        expect(protocol).not.toMatch(ofDevice);
        const anew = `${protocol}//${host}`;
        expect(isOrigin(anew)).toBe(true);
        expect(`${new URL(anew).protocol}//${new URL(anew).host}`).toBe(anew);
      }),
    );
  });

  test("with anything behind them are refused", () => {
    const rest = fc.constantFrom(
      "/",
      "?",
      "#",
      "/path",
      "?a=b",
      "#a",
      "@host",
      " ",
      "\n",
      ":",
      "\\",
    );
    fc.assert(
      fc.property(origins, rest, (origin, more) => expect(isOrigin(origin + more)).toBe(false)),
    );
  });
});

test.each([
  ["localhost", true],
  ["127.0.0.1", true],
  ["127.255.0.3", true],
  ["[::1]", true],
  ["localhost.example", false],
  ["127.0.0.1.example", false],
  ["128.0.0.1", false],
  ["[::2]", false],
  ["", false],
])("whether %p is this device: %p", (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

function isRedirectUri(uri: string): boolean {
  return redirectUriProblem(uri) === undefined;
}

function isOrigin(origin: string): boolean {
  return originProblem(origin) === undefined;
}

test.each([
  ["localhost:3000/callback", "http://localhost:3000/callback"],
  ["127.0.0.1:80?a=b", "http://127.0.0.1:80?a=b"],
  ["Localhost:3000", "http://Localhost:3000"],
  ["[::1]:3000/callback", "http://[::1]:3000/callback"],
  ["[2001:db8::1]:3000", "https://[2001:db8::1]:3000"],
  ["app.example.com:8443", "https://app.example.com:8443"],
])("%s is refused with what may have been meant", (uri, meant) => {
  expect(linkProblem(uri)).toBe(`must begin with a scheme: did you mean ${meant}?`);
});

test.each(["com.example.app:/callback", "myapp:80a", "tel:+41"])("%s has a scheme", (uri) => {
  expect(linkProblem(uri)).toBeUndefined();
});

describe("what is suggested instead is accepted by the same rule", () => {
  const scripts = deviceSchemes;
  const odd = ["http", "https", "tel", "localhost", "127.0.0.1", "a-b.example", "-", ".", "x"];
  const schemes = fc.oneof(
    ...[scripts, odd].map((some) =>
      fc.constantFrom(...some).chain((scheme) => fc.mixedCase(fc.constant(scheme))),
    ),
    fc.stringMatching(/^[a-z\d.+-]{1,9}$/),
  );
  const ports = fc.oneof(fc.nat(99_999).map(String), fc.constantFrom("", "0", "00080", "1e3"));
  const rests = fc.constantFrom(
    "",
    "/",
    "/callback",
    "?a=b",
    "#part",
    "/%0Aalert(1)",
    "//x",
    "\\x",
  );
  const uris = fc
    .tuple(schemes, fc.constantFrom(":", "::", "://", ""), ports, rests)
    .map((parts) => parts.join(""));

  test.each([
    ["links", linkProblem],
    ["redirect URIs", redirectUriProblem],
  ])("of %s", (_, rule) => {
    let suggested = 0;
    const law = fc.property(uris, (uri) => {
      const [, meant] = /did you mean (.*)\?$/.exec(rule(uri) ?? "") ?? [];
      if (meant === undefined) return;
      suggested += 1;
      expect(rule(meant)).toBeUndefined();
      expect(scripts).not.toContain(uri.split(":")[0]?.toLowerCase());
    });
    fc.assert(law, { numRuns: 2_000 });
    expect(suggested).toBeGreaterThan(20);
  });

  test.each(scripts)("and %s: with a number is a script", (scheme) => {
    const said = `must not have the scheme ${scheme}: because it can run scripts or read files`;
    for (const uri of [`${scheme}:1`, `${scheme.toUpperCase()}:1/a`]) {
      expect(linkProblem(uri)).toBe(said);
      expect(redirectUriProblem(uri)).toBe(said);
    }
  });

  test.each(["localhost:99999/cb", "app.example.com:3000#part"])("%s gets none", (uri) => {
    expect(redirectUriProblem(uri)).toBe("must begin with a scheme");
  });
});
