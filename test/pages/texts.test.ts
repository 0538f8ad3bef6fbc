import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { texts } from "../../src/pages/translations.ts";
import { html, htmlText } from "../../src/text/html.ts";
import { languages } from "../../src/text/language.ts";

/** What has markup in it: names that others chose, and times. */
const takesMarkup = new RegExp(
  String.raw`^\.(?:login\.(?:to|forgotten\.of|(?:device\.)?consent\.ask|` +
    String.raw`external\.(?:offer|arrived|linking)|` +
    String.raw`register\.(?:domains|code\.ask))|account\.[a-z]+\.(?:since|used|added))$`,
);

/** Every text of a language by its path; functions are called with numbers that show. */
function textsOf(value: unknown, path = ""): readonly (readonly [string, string])[] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value === "function") {
    const said = takesMarkup.test(path)
      ? htmlText(value(html`1234`, html`5678`))
      : value(1234, 5678);
    return [[path, said]];
  }
  return Object.entries(value as object).flatMap(([name, inner]) =>
    textsOf(inner, `${path}.${name}`),
  );
}

const all = new Map(languages.map((language) => [language, new Map(textsOf(texts[language]))]));
const english = all.get("en")!;

/** What is the same word in several languages. */
const shared = new Set([
  ...[".code.label", ".password.label", ".error", ".login.to"],
  ...[".account.overview.organization", ".account.parts.password"],
  ...[".login.factors.password", ".login.factors.passkey"],
]);

describe.each(languages)("the texts in %s", (language) => {
  const own = all.get(language)!;

  test("are as many as in English", () => {
    expect([...own.keys()].sort()).toEqual([...english.keys()].sort());
  });

  test("are whole: no text is empty, unfinished or has a stray space", () => {
    for (const [path, text] of own) {
      expect([path, text]).toEqual([path, expect.stringMatching(/^\S(?:.*\S)?$/s)]);
      expect([path, text]).toEqual([path, expect.not.stringMatching(/ {2}|undefined|\$\{/)]);
    }
  });

  test("name the numbers", () => {
    const { password, owner, account } = texts[language];
    expect([password.tooShort(8), password.tooLong(256)]).toEqual([
      expect.stringMatching(/\b8\b/),
      expect.stringMatching(/\b256\b/),
    ]);
    for (const text of [password.rule(8, 256), password.wrong(8, 256)]) {
      expect(text).toMatch(/\b8\b.*\b256\b/);
    }
    for (const text of [owner.invalidName(256), account.profile.invalidLine(256)]) {
      expect(text).toMatch(/\b256\b/);
    }
  });

  test("are its own", () => {
    const others = [...all].filter(([other]) => other !== language).map(([, found]) => found);
    const copied = [...own].filter(([path, text]) => others.some((one) => one.get(path) === text));
    expect(copied.map(([path]) => path).filter((path) => !shared.has(path))).toEqual([]);
  });
});

test("passkey-form.js has a text for everything that it says", () => {
  const script = readFileSync(resolve("src/pages/assets/passkey-form.js"), "utf8");
  const [, table = ""] = /const problems = \{(.*?)\};/s.exec(script) ?? [];
  const named = [...table.matchAll(/: "([a-z]+)"/g)].map(([, kind]) => kind);
  const kinds = new Set([...named, "failed", "unsupported", "address"]);
  const created = Object.keys(texts.en.passkey.problems);
  // What the account page says, too, has its text there.
  expect([...kinds].toSorted()).toEqual([...created, "full"].toSorted());
  // What only creating a passkey comes to has none where one is shown.
  const shown = Object.keys(texts.en.login.passkey.problems);
  expect(created.filter((kind) => !shown.includes(kind)).toSorted()).toEqual([
    ...["code", "invalid", "known"],
  ]);
});
