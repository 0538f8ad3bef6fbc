import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Site, startSite } from "./site.ts";

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

async function choose(path: string, init: RequestInit = {}) {
  const response = await fetch(site.server.url + path, { redirect: "manual", ...init });
  const { status, headers } = response;
  await response.text();
  return { status, location: headers.get("location"), cookie: headers.get("set-cookie") };
}

describe("a language that is chosen on a page", () => {
  test("is kept for a year and more, and leads back to the page with its query", async () => {
    const query = encodeURIComponent("after=phone&userID=a%26b");
    expect(await choose(`/ui/done?query=${query}&language=de`)).toEqual({
      status: 303,
      location: "./done?after=phone&userID=a%26b",
      cookie: "iam.language=de; Max-Age=34560000; Path=/; HttpOnly; Secure; SameSite=Lax",
    });
    expect(await choose("/ui/done?language=fr")).toMatchObject({ location: "./done" });
    expect(await choose("/account/profile?language=fr")).toMatchObject({ location: "./profile" });
  });

  test("leads to no other site", async () => {
    for (const path of ["/ui/https:evil.example.com", "/ui//evil.example.com", "/ui/x%0d%0ay: z"]) {
      const { location } = await choose(`${path}?language=de&query=//evil.example.com`);
      const { url } = site.server;
      expect(new URL(location ?? "", url + path).origin).toBe(url);
    }
  });

  test.each(["xx", "EN", "", "constructor", "de,fr"])(
    "is none where it is %j",
    async (language) => {
      expect(await choose(`/ui/done?language=${language}`)).toEqual({
        ...{ status: 200, location: null, cookie: null },
      });
    },
  );

  test("is not taken with a form", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const { cookie } = await choose("/ui/initialize?language=de", { method: "POST", headers });
    expect(cookie).toBe(null);
  });

  test.each([
    ["iam.language=it", "it"],
    ["other=1; iam.language=es", "es"],
    ["iam.language=xx", "fr"],
    ["iam.language=", "fr"],
    ["other=it", "fr"],
  ])("comes before the one that the browser prefers: %s", async (cookie, language) => {
    const seen = await site.open("/ui/done", { cookie, "accept-language": "fr" });
    expect(seen.headers.get("content-language")).toBe(language);
  });
});

describe("without a choice", () => {
  test.each([
    ["", "en", "Done"],
    ["de-CH, en;q=0.5", "de", "Fertig"],
    ["pt, fr;q=0.4, es;q=0.5", "es", "Listo"],
    ["fr", "fr", "C’est fait"],
    ["it;q=0.1", "it", "Fatto"],
    ["xx", "en", "Done"],
    ["<script>", "en", "Done"],
  ])("is read in the language of its reader: %j", async (accepted, language, heading) => {
    const seen = await site.open(
      "/ui/done",
      accepted === "" ? {} : { "accept-language": accepted },
    );
    expect(seen.heading).toBe(heading);
    expect(seen.headers.get("content-language")).toBe(language);
    expect(seen.text).toContain(`<html lang="${language}" dir="ltr">`);
  });
});
