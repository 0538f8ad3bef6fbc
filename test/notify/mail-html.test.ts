import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { HumanAdded } from "../../src/domain/user/state/human-state.ts";
import type { Message } from "../../src/notify/message/message.ts";
import { directionOf, languages } from "../../src/text/language.ts";
import { few } from "../harness/in-full.ts";
import { composeDue, importPerson, type NotifyPlace, notifyPlace, startMs } from "./place.ts";

let place: NotifyPlace;
beforeEach(async () => {
  place = await notifyPlace();
});
afterEach(() => place.remove());

/** The mail and the SMS that importing a person asks for. */
async function messagesFor(given: Partial<HumanAdded>): Promise<readonly [Message, Message]> {
  const userId = await importPerson(place, { phone: "+4915112345678", ...given });
  return composeDue(place, userId, startMs);
}

describe("the mail as HTML", () => {
  few(2).each(languages)(
    "has the same words in %s, and the link to read and to follow",
    async (language) => {
      const [mail] = await messagesFor({
        preferredLanguage: language,
        displayName: "Ada & <King>",
      });
      const { html = "", text, subject } = mail;
      expect(html).toContain(`<html lang="${language}" dir="${directionOf(language)}">`);
      const [link = ""] = text.match(/https?:\S+/g) ?? [];
      expect([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
        link.replaceAll("&", "&amp;"),
      ]);
      expect(html.split("http")).toHaveLength(3);
      expect(html).not.toMatch(/<script|<img|url\(|<King>/);
      const [, body = ""] = /<body[^>]*>(.*)<\/body>/s.exec(html) ?? [];
      const words = body
        .replaceAll(/<[^>]+>/g, " ")
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&amp;", "&");
      // Above the link is a button that says what the mail is about.
      const shown = text.replace(link, () => `${subject} ${link}`);
      expect(words.split(/\s+/)).toEqual(` ${shown} `.split(/\s+/));
    },
  );

  few(2).each([
    ["markup", `<script>alert("1")</script>`, "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;"],
    ["quotes", `"'`, "&quot;&#39;"],
    [
      "a link",
      `<a href="https://evil.example.com">`,
      "&lt;a href=&quot;https: //evil. example. com&quot;",
    ],
    ["an entity", "&lt;b&gt;", "&amp;lt;b&amp;gt;"],
  ])("shows a name with %s as it is", async (_, displayName, expected) => {
    const [{ html = "" }] = await messagesFor({ displayName });
    expect(html).toContain(`Hello ${expected}`);
    expect(html).not.toContain(displayName);
  });

  test("is not for phones", async () => {
    const [, sms] = await messagesFor({});
    expect(sms).not.toHaveProperty("html");
  });
});
