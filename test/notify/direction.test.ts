import { describe, expect, test } from "@jest/globals";
import {
  linkingTexts,
  noticeTexts,
  phoneTexts,
  type Said,
} from "../../src/notify/message/texts.ts";
import { texts } from "../../src/notify/message/translations.ts";
import { directionOf, languages } from "../../src/text/language.ts";
import { plainBrand, startMs } from "./place.ts";

type Language = (typeof languages)[number];

const values = {
  ...{ name: "Ada (Lovelace)", organization: "ACME (Holding)" },
  ...{ code: "AB2CD3", link: "https://iam.example.com/ui/x", expirationMs: startMs },
};

/** All that is said in a language. */
function allIn(language: Language): readonly Said[] {
  const manner = { language, brand: plainBrand };
  const about = Object.keys(texts.en.notice.about) as (keyof typeof texts.en.notice.about)[];
  const notices = about.map((what) => {
    const notice = { about: what, dueMs: startMs, to: "a@example.com" } as never;
    return noticeTexts(manner, { ...values, notice, timeMs: startMs });
  });
  const mails = ["initialization", "email", "emailRequest", "reset", "passkey"] as const;
  return [
    ...mails.map((mail) => linkingTexts(manner, mail, values)),
    ...notices,
    phoneTexts(language, { code: values.code, host: "iam.example.com" }),
  ];
}

/** In which direction programs write a line of plain text: that of its first letter (UAX 9, P2). */
function writtenIn(line: string): "ltr" | "rtl" {
  const own = line.replaceAll(/\u2068[^\u2069]*\u2069/g, "");
  const [letter = ""] = /\p{L}/u.exec(own) ?? [];
  return /\p{Script=Arabic}/u.test(letter) ? "rtl" : "ltr";
}

describe.each(languages)("what messages say in %s", (language) => {
  test("is written in its direction, line by line", () => {
    for (const { subject, text } of allIn(language)) {
      // The last line of an SMS is for programs.
      const said = text.replace(/\n@\S+ #\S+$/, "");
      const lines = said.split("\n").filter((line) => line !== "" && line !== values.link);
      for (const line of [subject, ...lines])
        expect([line, writtenIn(line)]).toEqual([line, directionOf(language)]);
    }
  });

  test("says so in HTML, and within the body, which is all that some programs keep", () => {
    const written = `lang="${language}" dir="${directionOf(language)}"`;
    for (const { html } of allIn(language)) {
      if (html === undefined) continue;
      expect(html).toContain(`<html ${written}>`);
      expect(html).toContain(`<div ${written} style=`);
    }
  });

  test("has names that others chose apart, where they would turn the signs around them", () => {
    const apart = directionOf(language) === "rtl";
    for (const { text, html } of allIn(language).filter((said) => said.html !== undefined)) {
      for (const name of [values.name, values.organization].filter((one) => text.includes(one)))
        for (const shown of [text, html])
          expect(shown?.includes(`\u2068${name}\u2069`)).toBe(apart);
    }
  });
});
