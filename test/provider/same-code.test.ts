import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { AccountService } from "../../gen/iam/account/v1/account_service_pb.js";
import {
  createPasswords,
  type Passwords,
  sameCodeWaitingMax,
} from "../../src/secrets/passwords/passwords.ts";
import { leaveOwnerLink } from "../../src/start/owner-link.ts";
import { type Given, givenAccount, password } from "../cases/accounts.ts";
import { callingOf } from "../cases/phones.ts";
import { createClients, type TestClient } from "../harness/clients.ts";
import { few } from "../harness/in-full.ts";
import { linkFor } from "./mails.ts";
import { type Parties, startParties } from "./relying.ts";

// Codes by which somebody sets a password, sent many times at once.

const row = "a code that has many passwords hashed";
const times = 30;

let parties: Parties;
let client: TestClient;
/** The signals with which passwords were hashed. */
let hashed: (AbortSignal | undefined)[];
/** How often somebody has shown a code that is right. */
let asked: number;
/** Settles when one is to be hashed, which then waits for `go`. */
let started: PromiseWithResolvers<void>;
let go: PromiseWithResolvers<void>;

beforeAll(async () => {
  const real = createPasswords({ random: randomBytes });
  const passwords: Passwords = {
    ...real,
    async hashPassword(text, waits) {
      hashed.push(waits?.signal);
      started.resolve();
      await go.promise;
      return await real.hashPassword(text, waits);
    },
    byCode(...given) {
      asked += 1;
      return real.byCode(...given);
    },
  };
  hashed = [];
  started = Promise.withResolvers();
  go = Promise.withResolvers();
  go.resolve();
  parties = await startParties({ passwords });
  [client] = createClients(parties.server.url) as [TestClient];
});
beforeEach(() => {
  [hashed, asked] = [[], 0];
  started = Promise.withResolvers();
  go = Promise.withResolvers();
});
afterAll(async () => {
  client.close();
  await parties.close();
});

const initialize = (given: Given, signal?: AbortSignal) =>
  fetch(`${parties.server.url}/${AccountService.typeName}/Initialize`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...given, password }),
    ...(signal ? { signal } : {}),
  }).then(({ status }) => status);

/** Sends the form of a page. */
async function send(link: string, fields: { readonly [name: string]: string }): Promise<number> {
  const { origin, pathname, searchParams } = new URL(link, parties.server.url);
  const body = new URLSearchParams({ ...Object.fromEntries(searchParams), ...fields });
  const headers = { origin };
  const { status } = await fetch(origin + pathname, { method: "POST", body, headers });
  return status;
}

type Send = () => Promise<number>;

async function givenOwner(): Promise<Send> {
  const { execute, dataDir, url } = parties.server;
  const path = await leaveOwnerLink({ execute, dataDir, url, random: randomBytes });
  const link = (await readFile(path, "utf8")).trim();
  const fields = { userName: "grace", email: "grace@example.com", firstName: "G", lastName: "H" };
  return () => send(link, { ...fields, password });
}

async function givenReset(): Promise<Send> {
  go.resolve();
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const link = await linkFor(parties, app, person);
  [hashed, go, started] = [[], Promise.withResolvers(), Promise.withResolvers()];
  return () => send(link, { password });
}

async function givenCode(): Promise<Send> {
  const given = await givenAccount(callingOf(parties.server, client));
  return () => initialize(given);
}

async function givenPage(): Promise<Send> {
  const { userId, code } = await givenAccount(callingOf(parties.server, client));
  const link = `/ui/initialize?${new URLSearchParams({ userID: userId, code })}`;
  return () => send(link, { password, step: "account" });
}

describe(`${row}:`, () => {
  few().each([
    ["that of an invitation", givenCode],
    ["that of an invitation, on its page", givenPage],
    ["that of a forgotten password", givenReset],
    ["the link of an owner", givenOwner],
  ])("%s has one hashed, however often it is sent at once", async (_, given) => {
    const one = await given();
    const all = Array.from({ length: times }, () => one());
    while (asked < times) await new Promise((resolve) => setTimeout(resolve, 5));
    go.resolve();
    const statuses = await Promise.all(all);
    const told = [200, 400, 429].map((one) => statuses.filter((status) => status === one).length);
    expect(told).toEqual([1, sameCodeWaitingMax, times - 1 - sameCodeWaitingMax]);
    expect(hashed).toHaveLength(1);
  });

  test("others wait for none of them", async () => {
    const [one, another] = [await givenCode(), await givenCode()];
    const both = [one(), another()];
    while (hashed.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    go.resolve();
    expect(await Promise.all(both)).toEqual([200, 200]);
  });

  test("who gives the call up has nothing hashed, and the next takes its turn", async () => {
    const given = await givenAccount(callingOf(parties.server, client));
    const call = new AbortController();
    const gone = initialize(given, call.signal).catch(() => "gone");
    await started.promise;
    const next = initialize(given);
    call.abort();
    expect(await gone).toBe("gone");
    while (hashed[0]?.aborted === false) await new Promise((resolve) => setTimeout(resolve, 5));
    go.resolve();
    expect(await next).toBe(200);
    expect(hashed).toHaveLength(2);
  });
});

test("as many wait for the first as may, and not one more", async () => {
  const passwords = createPasswords({ random: randomBytes });
  const end = Promise.withResolvers<void>();
  const done: number[] = [];
  const waiting = Array.from({ length: 1 + sameCodeWaitingMax }, (_, nth) =>
    passwords.byCode("a", async () => {
      await end.promise;
      done.push(nth);
    }),
  );
  const late = passwords.byCode("a", async () => "done").catch(({ name }: Error) => name);
  end.resolve();
  await Promise.all(waiting);
  expect(await late).toBe("HashingOverloaded");
  expect(done).toEqual([0, 1, 2]);
  await passwords.close();
});
