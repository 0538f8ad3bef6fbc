import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { registerLimits } from "../../src/domain/registration/pending.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { createPeers } from "../../src/port/peer.ts";
import { countRegistration } from "../../src/provider/base/tries.ts";
import type { Store } from "../../src/store/store.ts";
import { isFull } from "../harness/extent.ts";
import { errorIn, type Page } from "./browser.ts";
import { mailsTo, names, register, setPolicy } from "./registering.ts";
import { type App, begin, type Parties, startParties } from "./relying.ts";
import { unitOf } from "./unit.ts";

// Nobody learns by registering who has an account, nor fills mailboxes or the log.

/** What a page says, but for what is of the login alone and the address that was typed. */
const said = ({ status, text }: Pick<Page, "status" | "text">, email: string) =>
  `${status} ${text.replaceAll(ofLogin, "").replaceAll(email, "")}`;
const ofLogin = /login\/[\w-]+|(?<=challenge&quot;:&quot;)[\w-]+/g;

/** An address for each way in which somebody may have one, or nobody. */
async function givenAddresses(parties: Parties): Promise<{ readonly [whose: string]: string }> {
  const unproven = { email: `${v7()}@example.com` };
  const known = await parties.givenPerson();
  const out = await parties.givenPerson();
  await parties.call("POST", `/management/v1/users/${out.userId}/_deactivate`, {});
  await parties.givenPerson({ password: "", email: unproven });
  const named = `${v7()}@example.com`;
  await parties.givenPerson({ userName: named });
  return {
    ...{ known: known.email, "in capital letters": known.email.toUpperCase() },
    ...{ "out of use": out.email, unfinished: unproven.email, "a user name": named },
    nobody: `${v7()}@example.com`,
  };
}

describe("registration reveals who has an account", () => {
  test("not by words, by how much is written, nor by what is looked at", async () => {
    let [writes, lists] = [0, 0];
    const counting = <Given extends unknown[], Result>(write: (...given: Given) => Result) => {
      return (...given: Given) => {
        writes += 1;
        return write(...given);
      };
    };
    const wrap = (log: Store): Store => ({
      ...log,
      append: counting(log.append),
      list: (query) => {
        // Which providers the first page offers is listed for everybody.
        if (query.kind === user.kind) lists += 1;
        return log.list(query);
      },
      artifacts: { ...log.artifacts, write: counting(log.artifacts.write) },
    });
    const parties = await startParties({ wrap });
    const app = await parties.givenApp();
    await setPolicy(parties, { allowRegister: true });
    // Takes a part of the ring, which the others share.
    await register(parties.browser(), app, "first@example.com");
    const told = new Map<string, string>();
    for (const [whose, email] of Object.entries(await givenAddresses(parties))) {
      const browser = parties.browser();
      [writes, lists] = [0, 0];
      const { page } = await register(browser, app, email);
      const all: unknown[] = [said(page, email), writes];
      for (const [step, fields] of [
        ["register-again", {}],
        ["register-code", { code: "AAAAAA" }],
        ["register-leave", {}],
      ] as const) {
        all.push(said(await browser.send(fields, step), email), writes, lists);
      }
      told.set(JSON.stringify(all), whose);
      expect(lists).toBe(0);
    }
    await parties.close();
    expect([...told.values()]).toHaveLength(1);
    expect([...told.keys()].join()).toContain("Check your email");
  });

  test("but by the mail, to who reads what is sent to the address", async () => {
    const parties = await startParties({ delivers: true });
    const app = await parties.givenApp();
    await setPolicy(parties, { allowRegister: true });
    const subjects: { [whose: string]: string | undefined } = {};
    for (const [whose, email] of Object.entries(await givenAddresses(parties))) {
      await register(parties.browser(), app, email);
      const [mail] = (await mailsTo(parties, email)).slice(-1);
      subjects[whose] = /^Subject: (.*)$/m.exec(mail ?? "")?.[1];
      expect(mail).not.toMatch(new RegExp(Object.values(names).join("|")));
    }
    await parties.close();
    const [held, free] = ["You already have an account", "Your code to create an account"];
    expect(subjects).toEqual({
      ...{ known: held, "in capital letters": held, "out of use": held },
      ...{ unfinished: free, "a user name": free, nobody: free },
    });
  });
});

describe("mails to whom somebody chooses", () => {
  let parties: Parties;
  let app: App;

  beforeAll(async () => {
    const peers = createPeers([["127.0.0.1", 32]]);
    parties = await startParties({ peers, sendLimits: { registrationMails: 30 } });
    app = await parties.givenApp();
    await setPolicy(parties, { allowRegister: true });
  });
  afterAll(() => parties.close());

  const from = (address: string) => ({ "x-forwarded-for": `203.0.113.200, ${address}` });
  const tooMany = "Too many emails were requested. Try again tomorrow.";

  test.each([
    ["from one address", "203.0.113.7", registerLimits.asksOfAddress],
    ["where no address is known", undefined, registerLimits.asksOfMachine],
  ])("%s are asked for so often in an hour", async (_title, address, most) => {
    const { server, clock } = parties;
    const site = unitOf(server.store, () => clock.nowMs);
    const ask = (i: number, sender: string | undefined) =>
      countRegistration(site, { email: `${i}@${sender}.example.com`, address: sender });
    const asked = Array.from({ length: most }, (_, i) => ask(i, address));
    expect(new Set(await Promise.all(asked))).toEqual(new Set([true]));
    expect(await ask(most, address)).toBe(false);
    expect(await ask(0, "203.0.113.8")).toBe(true);
    clock.nowMs += registerLimits.asksMs;
    expect(await ask(most + 1, address)).toBe(true);
  });

  test("are asked for so often in an hour from all networks of one site", async () => {
    const { server, clock } = parties;
    const site = unitOf(server.store, () => clock.nowMs);
    const ask = (i: number, prefix = "2001:db8:77") => {
      const address = `${prefix}:${i.toString(16)}::/64`;
      return countRegistration(site, { email: `${i}@site.example.com`, address });
    };
    const asked = Array.from({ length: registerLimits.asksOfSite }, (_, i) => ask(i));
    expect(new Set(await Promise.all(asked))).toEqual(new Set([true]));
    expect(await ask(registerLimits.asksOfSite)).toBe(false);
    expect(await ask(0, "2001:db8:78")).toBe(true);
  });

  test("reach one mailbox so often in a day, however it is written", async () => {
    const { server, clock } = parties;
    const site = unitOf(server.store, () => clock.nowMs);
    const ask = (i: number) => {
      const email = i % 2 === 0 ? `Eve+${i}@EXAMPLE.com` : "eve@example.com";
      return countRegistration(site, { email, address: `198.51.100.${i}` });
    };
    for (let i = 0; i < registerLimits.mailsOfMailbox; i += 1) expect(await ask(i)).toBe(true);
    expect(await ask(100)).toBe(false);
    expect(await ask(101)).toBe(false);
    clock.nowMs += registerLimits.mailsMs;
    expect(await ask(102)).toBe(true);
  });

  test("are asked for so often in a day by all together", async () => {
    const { server, clock } = parties;
    clock.nowMs += registerLimits.mailsMs;
    const site = unitOf(server.store, () => clock.nowMs);
    const ask = (i: number) => {
      const address = `192.0.${Math.floor(i / 40) % 256}.1`;
      return countRegistration(site, { email: `${i}@example.net`, address });
    };
    const most = registerLimits.asks;
    for (let begun = 0; begun < most; begun += 500) {
      const some = await Promise.all(Array.from({ length: 500 }, (_, i) => ask(begun + i)));
      expect(new Set(some)).toEqual(new Set([true]));
    }
    expect(await ask(most)).toBe(false);
    clock.nowMs += registerLimits.mailsMs;
    expect(await ask(most)).toBe(true);
  });

  test("past the bound of one address say so, and nothing waits", async () => {
    const browser = parties.browser(from("203.0.113.9"));
    for (let i = 0; i < registerLimits.mailsOfMailbox; i += 1) {
      expect((await register(browser, app, "mallory@example.com")).page.status).toBe(200);
    }
    const { page } = await register(browser, app, "mallory+1@example.com");
    expect([page.status, errorIn(page)]).toEqual([429, tooMany]);
    expect((await register(browser, app, "trent@example.com")).page.status).toBe(200);
  });

  const tries = isFull ? 10_000 : 200;
  /** Milliseconds that so many may take on a machine that is busy. */
  const attackMs = 10 * 60_000;

  test(
    `${tries} times tell nobody apart, and leave no more than mails may be sent`,
    async () => {
      parties.clock.nowMs += registerLimits.mailsMs;
      const known = await Promise.all(Array.from({ length: 10 }, () => parties.givenPerson()));
      const before = await parties.server.store.head();
      const rounds = tries / 2;
      const answers = { known: new Map<number, number>(), nobody: new Map<number, number>() };
      let unlike = 0;
      let browser = parties.browser(from("198.18.0.0"));
      for (let round = 0; round < rounds; round += 1) {
        if (round % 20 === 0) {
          const nth = round / 20;
          browser = parties.browser(from(`198.18.${Math.floor(nth / 250)}.${nth % 250}`));
          await browser.open((await begin(app)).url.href);
          await browser.send({}, "register");
        }
        const emails = {
          known: known[round % known.length]?.email ?? "",
          nobody: `nobody-${round % known.length}@example.com`,
        };
        const pages: string[] = [];
        for (const whose of ["known", "nobody"] as const) {
          const page = await browser.send({ step: "register-ask", ...names, email: emails[whose] });
          pages.push(said(page, emails[whose]));
          answers[whose].set(page.status, (answers[whose].get(page.status) ?? 0) + 1);
        }
        if (pages[0] !== pages[1]) unlike += 1;
      }
      // Where the last mail of the day went to one of both.
      expect(unlike).toBeLessThanOrEqual(1);
      const sent = [...Object.values(answers)].map((one) => one.get(200) ?? 0);
      expect(sent.reduce((sum, one) => sum + one)).toBe(30);
      expect([...answers.known.keys()]).toEqual([...answers.nobody.keys()]);
      const events = await parties.server.store.readAll(before.position, 1_000);
      expect(new Set(events.map(({ type }) => type))).toEqual(new Set(["registration.requested"]));
      expect(events).toHaveLength(30);
    },
    attackMs,
  );
});
