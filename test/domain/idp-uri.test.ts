import { describe, expect, test } from "@jest/globals";
import { httpUrlProblem, issuerProblem, stringOrUriProblem } from "../../src/domain/uri.ts";
import { anyCharacter } from "../harness/characters.ts";
import { inFull } from "../harness/in-full.ts";
import { fc } from "../harness/laws.ts";

/** What the case tables of providers show by example holds for whatever can be thought of. */

describe("URLs", () => {
  const near = fc
    .array(
      fc.constantFrom(
        ..."https http HTTP urn javascript : :// // / \\ @ ? # [ ] [::1] % localhost 127.0.0.1 443"
          .split(" ")
          .concat(["a.example", "\t", "\n", " ", "\0", "\u200b", "65536", "user", "é", "."]),
      ),
      { maxLength: 10 },
    )
    .map((parts) => parts.join(""));
  const texts = fc.oneof(near, fc.string({ unit: anyCharacter }), fc.webUrl({ size: "small" }));
  const accepts = (check: typeof issuerProblem, given: string) => check(given) === undefined;

  test("that are accepted parse to http or https with a host", () => {
    fc.assert(
      fc.property(
        texts.filter((given) => accepts(httpUrlProblem, given)),
        (given) => {
          const { protocol, hostname } = new URL(given);
          expect(["http:", "https:"]).toContain(protocol);
          expect(hostname).not.toBe("");
          expect(given).not.toMatch(/[\s\\\p{Cc}]/u);
        },
      ),
    );
  });

  inFull("that are issuers have neither user, query nor fragment, and are safe", () => {
    fc.assert(
      fc.property(
        texts.filter((given) => accepts(issuerProblem, given)),
        (given) => {
          const { protocol, hostname, username, password, search, hash } = new URL(given);
          expect([username, password, search, hash].join("")).toBe("");
          const isLocal = /^(localhost|127\..*|\[::1\])$/.test(hostname);
          expect(protocol === "https:" || isLocal).toBe(true);
          expect(given).not.toMatch(/[?#]/);
          // What URL says of an empty user, it says of none.
          expect(given.split("/")[2]).not.toContain("@");
        },
      ),
    );
  });

  test("that are issuers of JWTs are URIs wherever they have a colon", () => {
    fc.assert(
      fc.property(texts, (given) => {
        const isAccepted = accepts(stringOrUriProblem, given);
        fc.pre(isAccepted && given.includes(":"));
        expect(given).toMatch(/^[a-z][a-z0-9+.-]*:/i);
        expect(URL.canParse(given)).toBe(true);
      }),
    );
  });
});
