import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import { createPeers, loopback } from "../../src/port/peer.ts";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { languages } from "../../src/text/language.ts";
import { few, inFull } from "../harness/in-full.ts";
import type { Browser } from "./browser.ts";
import { givenHolder, showPasskey } from "./passkeys.ts";
import { type App, begin, logIn, type Parties, type Person, startParties } from "./relying.ts";

// From where people log in: what the log keeps of it for good, and what their sessions show them.

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties({ peers: createPeers(loopback) });
  app = await parties.givenApp({ name: "Shop" });
});
afterAll(() => parties.close());

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const [address, network] = ["198.51.100.77", "198.51.100.0/24"];

/** A browser that somebody has at an address. */
const browserAt = (from: string, userAgent = firefox, at = parties): Browser =>
  at.browser({ "user-agent": userAgent, "x-forwarded-for": from });

/** The payloads of the events of a person of a type. */
async function payloadsOf(
  { userId }: Person,
  type: string,
  { server }: Parties = parties,
): Promise<readonly { readonly [name: string]: unknown }[]> {
  const events = await server.store.readStream(`user-${userId}`, 0, 1_000);
  return events.filter((one) => one.type === type).map(({ payload }) => JSON.parse(payload));
}

/** Tries wrong passwords until the person is locked. */
async function lock(browser: Browser, { userName }: Person, of = app): Promise<void> {
  await browser.open((await begin(of)).url.href);
  for (let i = 0; i < loginLimits.failures; i += 1) {
    await browser.send({ userName, password: "wrong" });
  }
}

describe("a whole address in the log for good: events have", () => {
  test("the network of a login, of wrong passwords and of a lock, and no more of it", async () => {
    const person = await parties.givenPerson();
    await logIn(browserAt(address), app, person);
    await lock(browserAt("2001:db8:7:8::9"), person);
    expect(await payloadsOf(person, "user.human.session.begun")).toMatchObject([{ network }]);
    const failed = await payloadsOf(person, "user.human.login.failed");
    expect(failed.at(-1)).toEqual({ factor: "password", network: "2001:db8:7::/48" });
    const [locked] = await payloadsOf(person, "user.human.locked");
    expect(locked).toEqual({ untilMs: expect.any(Number), network: "2001:db8:7::/48" });
    const events = JSON.stringify(await parties.server.events(), (_, value) =>
      typeof value === "bigint" ? String(value) : (value as unknown),
    );
    expect(events).not.toMatch(/198\.51\.100\.77|2001:db8:7:8|Firefox|Linux/);
  });

  test("the network of a login with a passkey", async () => {
    const holder = await givenHolder(parties);
    const browser = browserAt(address);
    await browser.open((await begin(app)).url.href);
    await browser.send({ userName: "" }, "passkey");
    await showPasskey(browser, holder.passkey);
    expect(await payloadsOf(holder, "user.human.session.begun")).toMatchObject([{ network }]);
  });

  test("nothing where no address is known", async () => {
    const person = await parties.givenPerson();
    await lock(browserAt("unknown"), person);
    const [locked] = await payloadsOf(person, "user.human.locked");
    expect(Object.keys(locked ?? {})).toEqual(["untilMs"]);
  });

  inFull("nothing where it is turned off, and the session shows it all the same", async () => {
    const off = await startParties({ peers: createPeers(loopback), eventNetworks: false });
    try {
      const [person, silent] = [await off.givenPerson(), await off.givenApp()];
      await lock(browserAt(address, firefox, off), await off.givenPerson(), silent);
      const browser = browserAt(address, firefox, off);
      await logIn(browser, silent, person);
      const text = (await off.server.events()).map(({ payload }) => payload).join();
      expect(text).toContain("untilMs");
      expect(text).not.toContain("network");
      expect((await browser.open("/account/sessions")).text).toContain(network);
    } finally {
      await off.close();
    }
  });
});

describe("a session that nobody knows again: the page shows", () => {
  /** What is said of each session behind its name, the latest login first. */
  const saidIn = ({ page }: Browser) =>
    [...page.text.matchAll(/<li class="row">.*?<\/li>/gs)].map(([part]) =>
      [...part.matchAll(/<p class="hint">(.*?)<\/p>/gs)].map(([, text = ""]) =>
        text.replaceAll(/<[^>]*>/g, "").trim(),
      ),
    );

  test("browser, system and network of each, and when it was used last", async () => {
    const person = await parties.givenPerson();
    const [here, there] = [browserAt(address), browserAt("2001:db8:7:8::9", "curl/8.5.0")];
    await logIn(there, app, person);
    await logIn(here, app, person);
    const begunMs = parties.clock.nowMs;
    parties.clock.nowMs += 3 * 24 * 60 * 60_000;
    await there.open((await begin(app, { prompt: "none" })).url.href);
    await here.open("/account/sessions");
    const day = (ms: number) =>
      new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(ms);
    const [begun, used] = [day(begunMs), day(parties.clock.nowMs)];
    const at = String.raw` at \d\d:\d\d UTC`;
    const said = (last: string) =>
      expect.stringMatching(`^Since ${begun}${at}, with: password\\. Last used: ${last}${at}\\.$`);
    expect(saidIn(here)).toEqual([
      [`Firefox on Linux, network ${network}`, said(begun)],
      ["Unknown browser, network 2001:db8:7::/48", said(used)],
    ]);
  });

  few().each(languages)("them in each language: %s", async (language) => {
    const browser = parties.browser({
      ...{ "user-agent": firefox, "x-forwarded-for": address, "accept-language": language },
    });
    await logIn(browser, app, await parties.givenPerson());
    await browser.open("/account/sessions");
    const [[where = ""] = []] = saidIn(browser);
    expect(where).toMatch(/^Firefox.*Linux.*198\.51\.100\.0\/24\u2069?$/);
  });

  test.each(["127.0.0.1", "127.8.0.1", "::1"])("no network of this machine: %s", async (from) => {
    const browser = browserAt(from);
    await logIn(browser, app, await parties.givenPerson());
    await browser.open("/account/sessions");
    expect(saidIn(browser)).toMatchObject([["Firefox on Linux", expect.any(String)]]);
  });

  test("none of the words that a browser has for itself", async () => {
    const person = await parties.givenPerson();
    const browser = browserAt(address, "<b>PLANTED</b> Firefox/1.0 (Windows; \u00adPLANTED)");
    await logIn(browser, app, person);
    await browser.open("/account/sessions");
    const [[where] = []] = saidIn(browser);
    expect(where).toBe(`Firefox on Windows, network ${network}`);
    expect(browser.page.text).not.toContain("PLANTED");
  });

  test("what is kept for as long as the session alone", async () => {
    const person = await parties.givenPerson();
    const [here, there] = [browserAt(address), browserAt("203.0.113.5")];
    await logIn(here, app, person);
    await logIn(there, app, person);
    const [, begun] = await payloadsOf(person, "user.human.session.begun");
    const alias = `Session:${hashSecret(String(begun?.sessionId))}`;
    const { artifacts } = parties.server.store;
    const kept = async () => (await artifacts.findAlias(alias, parties.clock.nowMs))?.payload;
    expect(await kept()).toContain("203.0.113.0/24");
    await here.open("/account/sessions");
    await here.send({}, "one");
    expect(await kept()).toBe(undefined);
  });
});
