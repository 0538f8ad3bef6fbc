import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import { readConfig } from "../../src/config/config.ts";
import { sentenceOf } from "../../src/config/sentence.ts";
import { outboxDirectory } from "../../src/notify/channel/outbox.ts";
import { runCommand } from "../../src/operate/command-line.ts";
import { logsTo } from "../../src/start/logger.ts";
import { serve } from "../../src/start/serve.ts";
import { register } from "../cases/webauthn.ts";
import { inFull } from "../harness/in-full.ts";
import { endProcesses, startProcess } from "../harness/process.ts";
import { type Row, refusalsOf, writesOf } from "./calls.ts";
import {
  type Call,
  caller,
  type Fixture,
  fixtures,
  inPlace,
  type Kind,
  type Place,
  type Upgraded,
  upgraded,
} from "./fixture.ts";

/** What an earlier program has left is opened, verified, read and written by that of today. */

afterEach(endProcesses);

const left = fixtures.flatMap((fixture) =>
  (["file", "database"] satisfies Kind[]).map((kind) => ({ ...fixture, kind })),
);

describe.each(left)("what $name has left in a $kind", ({ kind, ...fixture }) => {
  const { ids, secrets } = fixture;
  // Of a database the short form reads what was left.
  const ofFile = kind === "file" ? test : inFull;
  const upgradedHere = <T>(body: (service: Upgraded) => Promise<T>) =>
    upgraded(fixture, body, kind);

  ofFile("is verified, served and left whole by a process", () =>
    inPlace(fixture, kind, async (place) => {
      const { dataDir, environment } = place;
      // What is made otherwise today is said, and made anew by the start.
      const isAge =
        /^(\w+: it has schema|projection: its rows are of|What follows from|Nothing else was) /;
      const { lines } = await run("verify", place);
      expect(lines.slice(0, -1).filter((line) => !isAge.test(line))).toEqual([]);

      const service = startProcess(["serve", "--port=0", `--data-dir=${dataDir}`], {
        env: environment,
      });
      const call = caller(await service.listening, fixture);
      const answers = [
        await call("GET", `/management/v1/projects/${ids.firstProject}`),
        await call("POST", "/management/v1/projects", { name: "Tomorrow" }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      service.kill("SIGTERM");
      expect(await service.ended).toEqual({ code: 0, signal: null });

      const after = await run("verify", place);
      expect(after).toEqual({ code: 0, lines: [expect.stringContaining("nothing is damaged")] });
    }),
  );

  ofFile("holds events of the types that it says, and all of them are known", () =>
    upgradedHere(async ({ call, typesAfter }) => {
      const types = await typesAfter(0);
      const counts = Object.groupBy(types, (type) => type);
      expect(types).toHaveLength(fixture.head);
      expect(
        Object.fromEntries(Object.entries(counts).map(([type, all = []]) => [type, all.length])),
      ).toEqual(fixture.types);
      const search = { asc: true, limit: 1_000 };
      const { body } = await call("POST", "/admin/v1/events/_search", search);
      expect(body.events.map((event: ShownEvent) => event.type.type)).toEqual(types);
    }),
  );

  test("reads as its own program read it", () =>
    upgradedHere(async ({ call }) => {
      for (const { verb, path, body, organization, answer } of fixture.reads) {
        const read = await call(verb, path, body, { organization });
        expect({ path, ...read }).toMatchObject({
          path,
          status: 200,
          body: answer,
        });
      }
    }));

  ofFile("follows from its events as today's program has it", () =>
    upgradedHere(async (place) => {
      const found = await derivedIn(place);
      expect(found.messages).toEqual(fixture.pending);
      expect((await run("rebuild", place)).code).toBe(0);
      expect(await derivedIn(place)).toEqual(found);
      expect((await run("verify", place)).code).toBe(0);
    }),
  );

  ofFile("knows of what lets people in who made it", () =>
    upgradedHere(async ({ call, sql }) => {
      const [made] = await sql(
        `SELECT actor FROM events
         WHERE type = 'user.token.added' AND payload LIKE '%${ids.robotToken}%'`,
      );
      const path = `/management/v1/users/${ids.robot}/pats/_search`;
      const { body } = await call("POST", path, {}, { organization: ids.acme });
      expect(body.result).toContainEqual(
        expect.objectContaining({ id: ids.robotToken, maker: made?.actor }),
      );
    }),
  );

  ofFile("keeps what is taken, gone and forbidden", () =>
    upgradedHere((service) => expectRows(service, fixture, refusalsOf(fixture))),
  );

  ofFile("takes writes of each kind, and is whole after them", () =>
    upgradedHere(async (service) => {
      await expectRows(service, fixture, writesOf(fixture));
      const { code, lines } = await run("verify", service);
      expect({ code, lines }).toEqual({
        code: 0,
        lines: [expect.stringContaining("nothing is damaged")],
      });
    }),
  );

  ofFile("takes the codes that were handed out", () =>
    upgradedHere(async ({ call, dataDir }) => {
      const account = accountCalls(call);
      const mail = await codeFor("hedy@example.com", dataDir);
      const sms = await codeFor("+431588580", dataDir);
      const hedy = { userId: ids.hedy! };
      expect(await account("CheckInitialization", { ...hedy, code: mail })).toBe(200);
      expect(await account("Initialize", { ...hedy, code: mail, password: "a password" })).toBe(
        200,
      );
      expect(await account("Initialize", { ...hedy, code: mail })).toBe("CODE_INVALID");
      expect(await account("VerifyPhone", { ...hedy, code: sms })).toBe(200);

      const link = { userId: ids.mary!, codeId: secrets.maryCodeId!, code: secrets.maryCode! };
      const { body } = await call("POST", accountPath("BeginPasskey"), link, { token: "" });
      const { credential } = register(body.options, { origin: fixture.publicUrl });
      expect(await account("FinishPasskey", { ...link, credential })).toBe(200);
      expect(await account("FinishPasskey", { ...link, credential })).toBe("CODE_INVALID");
    }),
  );

  ofFile("lets a machine in with the secret that it had", () =>
    upgradedHere(async ({ post }) => {
      const [client, secret] = [secrets.engineClientId!, secrets.engine!];
      const ask = (password: string) => {
        const pair = Buffer.from(`${client}:${password}`).toString("base64");
        const grant = { grant_type: "client_credentials", scope: "openid" };
        return post("/oauth/v2/token", grant, { authorization: `Basic ${pair}` });
      };
      expect([await ask(secret), await ask(`${secret}x`)]).toEqual([200, 401]);
    }),
  );

  ofFile("sends what waited, and takes the codes in it", () =>
    upgradedHere(async ({ call, dataDir, deliver, typesAfter }) => {
      const account = accountCalls(call);
      deliver();
      const sent = async () => (await typesAfter(fixture.head)).toSorted();
      const wanted = fixture.pending.length;
      while ((await sent()).length < wanted) await pause(10);
      expect(new Set(await sent())).toEqual(
        new Set(["user.human.initialization.code.sent", "user.human.phone.code.sent"]),
      );
      const waiting = { userId: ids.waiting! };
      const mail = await codeFor("emmy@example.com", dataDir);
      const sms = await codeFor("+498912345678", dataDir);
      expect(await account("VerifyPhone", { ...waiting, code: sms })).toBe(200);
      expect(await account("CheckInitialization", { ...waiting, code: mail })).toBe(200);
    }),
  );

  ofFile.each([
    [
      { file: "PRAGMA user_version = 1000000", database: "UPDATE schema SET version = 1000000" }[
        kind
      ],
      "has schema 1000000, but this program knows only up to",
    ],
    ["UPDATE projection SET revision = 1000000", "has objects of projection revision 1000000"],
  ])("is refused by a program that is older than it: %s", (change, sentence) =>
    inPlace(fixture, kind, async ({ dataDir, environment, sql }) => {
      await sql(change);
      const config = readConfig([`--data-dir=${dataDir}`, "--port=0"], environment);
      const started = serve(config, logsTo({ write: () => {} }, "silent"));
      const refused = await started.then((running) => running.close(), sentenceOf);
      expect(refused).toMatch(/^The event log .+ cannot be opened: /);
      expect(refused).toContain(sentence);
      expect(refused).toContain("use the newer version of the program that wrote it.");
    }),
  );
});

interface ShownEvent {
  readonly type: { readonly type: string };
}

/** Runs a command line of today in this process; answers its exit code and what it said. */
async function run(command: "verify" | "rebuild", { dataDir, environment }: Place) {
  const lines: string[] = [];
  const say = (text: string) => void lines.push(text);
  const surroundings = { environment, say, progress: () => {} };
  const code = await runCommand([command, `--data-dir=${dataDir}`], surroundings);
  return { code, lines };
}

/** Makes the calls one after the other; each has to come to what its row says. */
async function expectRows(
  { call, typesAfter }: Upgraded,
  { head, ids }: Fixture,
  rows: readonly Row[],
): Promise<void> {
  let seen = head;
  const came: [call: string, comesTo: Row[2]][] = [];
  for (const [what, body, , options] of rows) {
    const [verb = "", path = ""] = what.split(" ");
    const { status, reason } = await call(verb, path, body, { organization: ids.acme, ...options });
    const types = await typesAfter(seen);
    seen += types.length;
    came.push([what, status === 200 ? types : [reason, ...types].join()]);
  }
  expect(came).toEqual(rows.map(([what, , comesTo]) => [what, comesTo]));
}

/** Everything that follows from the events, without when messages are due. */
async function derivedIn({ sql }: Place) {
  const messages = await sql("SELECT position, field FROM messages ORDER BY position");
  return {
    objects: await sql("SELECT * FROM objects ORDER BY stream"),
    claims: await sql("SELECT kind, scope, value, stream FROM claims ORDER BY kind, scope, value"),
    fields: await sql(
      "SELECT kind, parent, name, folded, first FROM fields ORDER BY kind, parent, name, folded, first",
    ),
    messages: messages.map(({ position, field }) => ({ position: Number(position), field })),
  };
}

const accountPath = (method: string) => `/iam.account.v1.AccountService/${method}`;

/** Calls of people, who have no token; answers the status, or the reason of a refusal. */
function accountCalls(call: Call) {
  return async (method: string, body: object) => {
    const { status, reason } = await call("POST", accountPath(method), body, { token: "" });
    return reason ?? status;
  };
}

/** The code in the file of the outbox that is for an address or a number. */
async function codeFor(to: string, dataDir: string): Promise<string> {
  const outbox = join(dataDir, outboxDirectory);
  const files = (await readdir(outbox)).map((file) => readFile(join(outbox, file), "utf8"));
  const text = (await Promise.all(files)).find((file) => file.includes(`To: ${to}\n`)) ?? "";
  return /\b[A-Z0-9]{6}\b/.exec(text.slice(text.indexOf("\n\n")))?.[0] ?? "";
}
