import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { texts } from "../../src/pages/translations.ts";
import { languages } from "../../src/text/language.ts";
import { type Site, startSite } from "./site.ts";

let site: Site;

beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

/** What Chromium and Firefox send when somebody types an address. */
const chromium =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8";
const firefox = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describe("the address without a path", () => {
  test.each([chromium, firefox, "text/html", "TEXT/HTML", "text/*", "text/html, */*;q=0.1"])(
    "is a page for one who takes %j",
    async (accept) => {
      const page = await site.open("/?from=nowhere", { accept });
      expect(page).toMatchObject({ status: 200, heading: texts.en.home.title });
      const other = await site.open("/ui/done");
      const own = new Set(["date", "content-length", "x-request-id"]);
      const shared = ({ headers }: typeof page) => [...headers].filter(([name]) => !own.has(name));
      expect(shared(page)).toEqual(shared(other));
      expect(page.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  test.each([
    ...["*/*", "", "application/json", "application/json, text/html;q=0.9", "text/html;q=0, */*"],
    ...["application/grpc", "text/plain", ";;;,,,q=1", "__proto__"],
  ])("is no operation for one who takes %j", async (accept) => {
    const { status, headers, text } = await site.open("/", { accept });
    expect([status, headers.get("content-type")]).toEqual([404, "application/json"]);
    expect(JSON.parse(text)).toMatchObject({ code: 5, details: [{ reason: "UNKNOWN_PATH" }] });
  });

  test("is read with HEAD too", async () => {
    const ask = (method: string, accept: string) =>
      fetch(`${site.server.url}/`, { method, headers: { accept } });
    const [got, head] = [await ask("GET", chromium), await ask("HEAD", chromium)];
    const length = String((await got.arrayBuffer()).byteLength);
    expect([head.status, head.headers.get("content-length")]).toEqual([200, length]);
    expect(await head.text()).toBe("");
    const program = await ask("HEAD", "*/*");
    expect([program.status, await program.text()]).toEqual([404, ""]);
  });

  test.each(["POST", "PUT", "DELETE", "OPTIONS"])("is no place to %s to", async (method) => {
    const response = await fetch(`${site.server.url}/`, { method, headers: { accept: chromium } });
    expect(await response.json()).toMatchObject({ details: [{ reason: "UNKNOWN_PATH" }] });
  });

  test.each(languages)("is read in %s by one who reads that", async (language) => {
    const page = await site.open("/", { accept: chromium, "accept-language": language });
    expect(page.heading).toBe(texts[language].home.title);
    expect(page.headers.get("content-language")).toBe(language);
  });

  test("leads on, and names no host", async () => {
    const { text } = await site.open("/", { accept: chromium });
    expect(text).not.toMatch(/localhost|127\.0\.0\.1|https?:/);
    const links = [...text.matchAll(/ href="([^"]+)"/g)].map(([, to = ""]) => to);
    const paths = links.map((to) => new URL(to, `${site.server.url}/`).pathname);
    const [style, icon, ...others] = paths;
    expect([style, icon, others]).toEqual([
      ...[expect.stringMatching(/style\.css$/), expect.stringMatching(/icon\.svg$/), ["/account"]],
    ]);
    for (const [path, status] of [
      [style, 200],
      [icon, 200],
      ["/account", 303],
    ] as const) {
      const answer = await fetch(new URL(String(path), site.server.url), { redirect: "manual" });
      expect(answer.status).toBe(status);
    }
  });
});
