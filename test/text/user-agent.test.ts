import { describe, expect, test } from "@jest/globals";
import { programOf } from "../../src/text/user-agent.ts";

const webKit = "AppleWebKit/537.36 (KHTML, like Gecko)";
const mozilla = (system: string, rest: string) => `Mozilla/5.0 (${system}) ${rest}`;

describe("what a browser calls itself is read as", () => {
  test.each([
    ["Firefox", "Linux", mozilla("X11; Linux x86_64; rv:140.0", "Gecko/20100101 Firefox/140.0")],
    ["Firefox", "Windows", mozilla("Windows NT 10.0; Win64; x64; rv:140.0", "Firefox/140.0")],
    ["Firefox", "iOS", mozilla("iPhone; CPU iPhone OS 18_0 like Mac OS X", "FxiOS/140.0 Safari/6")],
    ["Chrome", "macOS", mozilla("Macintosh; Intel Mac OS X 10_15_7", `${webKit} Chrome/140.0.0.0`)],
    [
      "Chrome",
      "Android",
      mozilla("Linux; Android 10; K", `${webKit} Chrome/140.0 Mobile Safari/5`),
    ],
    ["Chrome", "iPadOS", mozilla("iPad; CPU OS 18_0 like Mac OS X", "CriOS/140.0 Safari/604.1")],
    ["Chrome", "ChromeOS", mozilla("X11; CrOS x86_64 14541.0.0", `${webKit} Chrome/140.0`)],
    ["Edge", "Windows", mozilla("Windows NT 10.0", `${webKit} Chrome/140.0 Safari/5 Edg/140.0`)],
    ["Opera", "Linux", mozilla("X11; Linux x86_64", `${webKit} Chrome/140.0 Safari/5 OPR/120.0`)],
    ["Samsung Internet", "Android", mozilla("Linux; Android 10", "SamsungBrowser/28.0 Chrome/130")],
    ["Safari", "macOS", mozilla("Macintosh; Intel Mac OS X 10_15_7", "Version/18.0 Safari/605.1")],
    ["Safari", "iOS", mozilla("iPhone; like Mac OS X", "Version/18.0 Mobile/15E148 Safari/604.1")],
  ])("%s on %s", (browser, system, userAgent) => {
    expect(programOf(userAgent)).toEqual({ browser, system });
  });

  test.each([
    ["curl/8.5.0", undefined, undefined],
    ["", undefined, undefined],
    ["call 0900 123 to stay logged in, Linux", undefined, "Linux"],
    ["NotFirefox/1.0", undefined, undefined],
    [`Firefox/${"x".repeat(10_000)} Version/`.repeat(20), "Firefox", undefined],
  ])("nothing but names that are known: %.40s", (userAgent, browser, system) => {
    expect(programOf(userAgent)).toEqual({ browser, system });
  });
});
