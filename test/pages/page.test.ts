import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { readAssets } from "../../src/pages/assets.ts";
import { onwardScript } from "../../src/pages/html/onward.ts";
import { texts } from "../../src/pages/translations.ts";
import { directionOf, languages } from "../../src/text/language.ts";
import { few } from "../harness/in-full.ts";
import { documentIn, emptyPage, pagesWith } from "./pages.ts";

const root = resolve(import.meta.dirname, "../..");
const plain = pagesWith("abc-123");
const everywhere = languages.flatMap((language) =>
  [...plain.keys()].map((name) => ({ language, name })),
);
const documentOfPage = (language: (typeof languages)[number], name: string, base = "") =>
  documentIn(language, plain.get(name)!, base);

describe("every page in every language", () => {
  few(6).each(everywhere)(
    "$name in $language is whole and says what it is",
    ({ language, name }) => {
      const text = documentOfPage(language, name);
      expect(text).toMatch(
        /^<!doctype html>\n<html lang="[a-z]{2}" dir="[a-z]{3}">\n<head>\n<meta charset="utf-8">/,
      );
      expect(text).toContain(`<html lang="${language}" dir="${directionOf(language)}">`);
      expect(text).not.toMatch(/\b(?:undefined|null|NaN)\b|\[object|\$\{/);
      const [heading, ...others] = [...text.matchAll(/<h1>([^<]+)<\/h1>/g)].map(
        ([, title]) => title,
      );
      expect(others).toEqual([]);
      const [title] = [...text.matchAll(/<title>([^<]+)<\/title>/g)].map(([, found]) => found);
      const isProblem = /wrong|problem/.test(name);
      // A part of the account page says in its tab what it is a part of.
      const { error, account } = texts[language];
      const tab = text.includes("<nav") ? `${heading} – ${account.title}` : heading;
      expect(title).toBe(isProblem ? `${error}: ${tab}` : tab);
    },
  );

  test.each(["registration", "names"])(
    "%s asks for the family name first in Japanese alone",
    (name) => {
      for (const language of languages) {
        const text = documentOfPage(language, name);
        const found = [...text.matchAll(/ name="((?:first|last)Name)"/g)].map(([, field]) => field);
        const names = ["firstName", "lastName"];
        expect([language, ...found]).toEqual([
          language,
          ...(language === "ja" ? names.toReversed() : names),
        ]);
      }
    },
  );

  few(6).each(everywhere)("$name in $language can be heard and typed", ({ language, name }) => {
    const text = documentOfPage(language, name);
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const labels = [...text.matchAll(/<label for="([^"]+)">[^<]+<\/label>/g)].map(([, id]) => id);
    const fields = [...text.matchAll(/<(?:input|select)\b[^>]*>/g)].map(([field]) => field);
    const shown = fields.filter((field) => !field.includes('type="hidden"'));
    expect(shown.map((field) => / id="([^"]+)"/.exec(field)?.[1])).toEqual(labels);
    for (const field of shown) expect(field).toMatch(/ autocomplete="[a-z-]+(?: webauthn)?"/);
    // Whatever is read character by character runs from left to right, whichever way a page does.
    const typed = shown.filter((field) => /type="(?:text|password)"/.test(field));
    for (const field of typed) expect(field).toMatch(/ dir="(?:ltr|auto)"/);
    for (const field of typed.filter((one) => one.includes('class="code"')))
      expect(field).toContain(' dir="ltr"');
    expect(text).not.toMatch(/<code(?! dir="ltr")/);
    const described = [...text.matchAll(/ aria-describedby="([^"]+)"/g)];
    for (const [, found = ""] of described)
      expect(ids).toEqual(expect.arrayContaining(found.split(" ")));
  });

  few(6).each(everywhere)(
    "$name in $language keeps to the content policy",
    ({ language, name }) => {
      const text = documentOfPage(language, name);
      expect(text).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:|https?:|<iframe|<img/i);
      for (const [script] of text.matchAll(/<script\b.*?<\/script>/gs)) {
        if (script === `<script>${onwardScript}</script>`) continue;
        expect(script).toMatch(/^<script src="assets\/v\/[a-z-]+\.js" defer><\/script>$/);
      }
      // Whatever can be followed is relative, and a form goes nowhere but to its own page.
      for (const [, to = ""] of text.matchAll(/ (?:href|src|action)="([^"]*)"/g)) {
        expect(to).toMatch(/^(?!\/)[a-z0-9_./?=-]+$|^#content$/i);
      }
      for (const [form] of text.matchAll(/<form\b[^>]*>/g)) expect(form).toContain('method="post"');
    },
  );
});

describe("every page", () => {
  test("has a next step: a link or a form, besides the way past others", () => {
    for (const name of plain.keys()) {
      const content = documentOfPage("en", name).replaceAll(/<a class="skip".*?<\/a>/g, "");
      expect([name, /<a [^>]*href=|<form(?![^>]* hidden)/.test(content)]).toEqual([name, true]);
    }
  });

  test("has a way past what comes before its content, and only where there is that", () => {
    for (const name of plain.keys()) {
      const text = documentOfPage("en", name);
      const [skip] = [...text.matchAll(/<body[^>]*>\n(<a class="skip" href="#content">)?/g)];
      expect([name, skip?.[1] !== undefined]).toEqual([name, text.includes("<nav")]);
      expect(text).toContain('<main id="content" tabindex="-1">');
    }
  });

  test("is at most 30 KB as it is sent, with all that it is made with", async () => {
    const assets = await readAssets();
    for (const name of plain.keys()) {
      const text = documentOfPage("en", name);
      const named = Object.entries(assets).filter(([file]) => text.includes(`assets/v/${file}`));
      const bytes = named.map(([, asset]) => asset.gzip.byteLength);
      const whole = bytes.reduce((sum, one) => sum + one, Buffer.byteLength(text));
      expect([name, whole <= 30 * 1024]).toEqual([name, true]);
    }
  });

  test("tells times in UTC, by its name, with what a script needs to tell them there", () => {
    for (const name of plain.keys()) {
      const text = documentOfPage("en", name);
      const times = [...text.matchAll(/<time datetime="([^"]+)"[^>]*>([^<]+)<\/time>/g)];
      for (const [, iso = "", told] of times) {
        expect(told).toMatch(/ UTC$/);
        expect(new Date(iso).toISOString()).toBe(iso);
      }
      if (times.length > 0) expect(text).toContain("time.js");
      expect(text.replaceAll(/<time .*?<\/time>/gs, "")).not.toMatch(/\d:\d\d/);
    }
  });
});

describe("what is wrong comes first", () => {
  test.each(languages)("in %s: beside the field, in words that screen readers read", (language) => {
    for (const [name, id] of [
      ["wrong code", "code"],
      ["wrong password", "password"],
      ["wrong phone code", "code"],
      ["wrong e-mail code", "code"],
      ["wrong one-time code", "code"],
      ["wrong other password", "password"],
      ["wrong new password", "password"],
      ["wrong code of an own e-mail", "code"],
      ["wrong own phone", "phone"],
    ] as const) {
      const text = documentOfPage(language, name);
      expect(text).toMatch(new RegExp(`<p class="error" id="${id}-error" role="alert">[^<]+</p>`));
      const [field = ""] = new RegExp(`<input [^>]*id="${id}"[^>]*>`).exec(text) ?? [];
      expect(field).toContain('aria-invalid="true" autofocus');
      expect(field).toContain(`aria-describedby="${id}-error ${id}-hint"`);
    }
  });

  test("and the focus is else in the one field that the title asks for", () => {
    const right = [...plain.keys()].filter((name) => !name.includes("wrong"));
    const focused = right.flatMap((name) => {
      const [field, ...others] = documentOfPage("en", name).matchAll(/<[^>]* autofocus[ >]/g);
      expect([name, others]).toEqual([name, []]);
      return field === undefined ? [] : [`${name}: ${/ id="([^"]+)"/.exec(field[0])?.[1]}`];
    });
    expect(focused).toEqual([
      ...["code: code", "phone: code", "e-mail code: code"],
      ...["login: username", "login with a name: password", "login once more: password"],
      "login without passkeys: password",
      ...["one-time code: code", "recovery code: code", "forgotten password: username"],
      ...["login of who may register: password", "login with providers: password"],
    ]);
  });
});

describe("what people chose is text", () => {
  const hostile = `"'><script>alert(1)</script><!--&amp;\u202e`;
  const escaped = "&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;!--&amp;amp;\u202e";
  const holding = ["code", "wrong code", "account", "wrong password", "account with a password"];
  const ofEmail = ["e-mail", "e-mail code", "wrong e-mail code"];

  const ofLogin = ["login with a name", "going on", "logout", "problem of a login that is refused"];

  const ofAccount = ["names", "own password", "own e-mail that waits", "own phone that waits"];

  test.each([
    ...holding,
    ...ofEmail,
    ...ofLogin,
    ...ofAccount,
    "passkey",
    "phone",
    "wrong phone code",
    "problem fault",
  ])("on the page %s, wherever it stands", (name) => {
    const text = documentIn("en", pagesWith(hostile).get(name)!);
    expect(text).toContain(escaped);
    expect(text).not.toContain("<script>");
    expect(text).not.toContain("<!--");
  });

  test.each(languages)(
    "a name that reads as our words stands apart from them in %s",
    (language) => {
      const name = "Calendar of ACME wants to see your name. This page";
      const seen = new Set<string>();
      for (const page of pagesWith(name).values()) {
        const parts = documentIn(language, page)
          .replaceAll(/ [a-z-]+="[^"]*"/g, "")
          .split(name);
        for (const [index, part] of parts.slice(1).entries()) {
          const [opening] = /(?:<strong>)?<[a-z]+>$/.exec(parts[index]!) ?? ["nothing"];
          const [closing] = /^<\/[a-z]+>(?:<\/strong>)?/.exec(part) ?? ["nothing"];
          seen.add(opening + closing);
        }
      }
      expect([...seen].toSorted()).toEqual([
        "<bdi></bdi>",
        "<code></code>",
        "<strong><bdi></bdi></strong>",
      ]);
    },
  );

  test("in the link to the phone, where it is part of an address", () => {
    const text = documentIn("en", pagesWith(`a&b="'#/?`).get("done but for the phone")!);
    expect(text).toContain('href="phone/verify?userID=a%26b%3D%22%27%23%2F%3F"');
  });

  test("in a title", () => {
    const text = documentIn("en", emptyPage("<i>"));
    expect([text.includes("<title>&lt;i&gt;"), text.includes("<h1>&lt;i&gt;")]).toEqual([
      true,
      true,
    ]);
  });

  test("because every value in an attribute stands in quotes", () => {
    const files = ["src/pages", "src/notify"].flatMap((directory) =>
      readdirSync(join(root, directory), { recursive: true, withFileTypes: true })
        .filter(({ name }) => name.endsWith(".ts"))
        .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8")),
    );
    const templates = files.flatMap((text) => text.match(/html`(?:[^`\\]|\\.)*/g) ?? []);
    expect(templates.length).toBeGreaterThan(15);
    expect(templates.filter((template) => /=\s*\$\{|<[a-z/]*\$\{/.test(template))).toEqual([]);
  });
});

describe("from wherever a page stands", () => {
  test.each(["", "../", "../../"])("with %j before its links", (base) => {
    for (const name of plain.keys()) {
      const text = documentOfPage("en", name, base);
      const targets = [
        ...text.matchAll(/ (?:href|src|action|data-done|data-service)="([^#"][^"]*)"/g),
      ];
      // An application that is told something is elsewhere.
      for (const [, to = ""] of targets) expect(to === "abc-123" || to.startsWith(base)).toBe(true);
    }
    const passkey = documentOfPage("en", "passkey", base);
    expect(passkey).toContain(`data-service="${base}../iam.account.v1.AccountService/"`);
  });
});
