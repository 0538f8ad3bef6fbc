import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { EffectKind } from "../../src/actions/effects.ts";
import { effectRules } from "../../src/actions/effects.ts";
import { dryTimeMs } from "../../src/actions/machine.ts";
import type { Run } from "../../src/actions/run.ts";
import { inDirectory } from "../harness/process.ts";
import { type Greeting, givenSandbox, telling, toldBy } from "./given.ts";

/** What scripts can do: what they are told, what they ask for, and how they fail. */

let sandbox: Greeting;
beforeAll(() => {
  sandbox = givenSandbox({}, "zitadel");
});
afterAll(() => sandbox.close());

const kinds = Object.keys(effectRules) as EffectKind[];

describe("a run", () => {
  test("answers effects in their order, lines, time and memory", async () => {
    const outcome = await sandbox.greet(
      `function greet(ctx, api) {
        api.v1.claims.setClaim("a", { b: [1, null, "ü"] });
        console.log("one", { two: 2 }, new RangeError("three"));
        api.v1.claims.setClaim(4, false);
      }`,
    );
    expect(outcome).toEqual({
      effects: [
        { kind: "setClaim", name: "a", value: { b: [1, null, "ü"] } },
        { kind: "setClaim", name: "4", value: false },
      ],
      log: ['one {"two":2} RangeError: three'],
      durationMs: expect.any(Number),
      memoryBytes: expect.any(Number),
    });
    expect(outcome.memoryBytes).toBeGreaterThan(1_000_000);
    expect(outcome.durationMs).toBeGreaterThan(0);
  });

  test.each([
    ["an object in itself", "ctx.own = ctx; console.log(1, ctx)"],
    ["a BigInt in an object", "console.log(1, { big: 2n })"],
    ["what throws as JSON", 'console.log(1, { toJSON() { throw new Error("no"); } })'],
    ["what has no text", "console.log(1, { __proto__: null, toJSON() {} })"],
  ])("goes on where it logs %s", async (_, script) => {
    const { log, problem } = await sandbox.greet(`function greet(ctx, api) { ${script}; }`);
    expect([log, problem]).toEqual([["1 [cannot be shown]"], undefined]);
  });

  test.each(kinds)("has %s where its trigger has it, and nowhere else", async (kind) => {
    const { path } = effectRules[kind];
    const isNamed = "isNamed" in effectRules[kind];
    const call = isNamed ? `api.${path}("key", { a: 1 })` : `api.${path}({ a: 1 })`;
    const script = `function greet(ctx, api) { ${call}; }`;
    const effect = { kind, name: isNamed ? "key" : "", value: { a: 1 } };
    expect((await sandbox.greet(script, { api: [kind] })).effects).toEqual([effect]);
    const api = kinds.filter((one) => one !== kind);
    const { effects, problem } = await sandbox.greet(script, { api });
    expect([effects, problem?.errorClass]).toEqual([[], "TypeError"]);
  });

  test("takes grants that are pushed, as scripts of the compatible API do", async () => {
    const script = "function greet(ctx, api) { api.userGrants.push({ projectId: '1' }); }";
    const { effects } = await sandbox.greet(script, { api: ["appendUserGrant"] });
    expect(effects).toEqual([{ kind: "appendUserGrant", name: "", value: { projectId: "1" } }]);
  });

  test.each([
    ["a function", "function greet(c, api) { api.v1.claims.setClaim('told', 1); }"],
    ["a constant", "const greet = (c, api) => api.v1.claims.setClaim('told', 1);"],
    [
      "an asynchronous one",
      "async function greet(c, api) { await 0; api.v1.claims.setClaim('told', 1); }",
    ],
    ["one that is made", "globalThis.greet = (c, api) => api.v1.claims.setClaim('told', 1);"],
  ])("calls %s", async (_, script) => {
    expect(toldBy(await sandbox.greet(script))).toBe(1);
  });

  test("has nothing of the one before", async () => {
    expect(toldBy(await sandbox.greet(`left = 1; Array.left = 1; ${telling("0")}`))).toBe(0);
    const { effects } = await sandbox.greet(telling("[typeof left, typeof Array.left]"));
    expect(effects[0]?.value).toEqual(["undefined", "undefined"]);
  });
});

describe("the context", () => {
  const context: Run["context"] = {
    accessToken: "token",
    claims: { email: "ada@example.com", groups: ["a"] },
    v1: {
      claims: { sub: "1" },
      user: { id: "1", username: "ada", metadata: [{ key: "plan", value: "gold" }] },
      org: { id: "2", metadata: [] },
    },
  };

  test.each([
    ["ctx.accessToken", "token"],
    ["ctx.getClaim('email')", "ada@example.com"],
    ["ctx.getClaim('none') ?? 'nothing'", "nothing"],
    ["JSON.parse(ctx.claimsJSON()).groups", ["a"]],
    ["ctx.v1.claims.sub", "1"],
    ["ctx.v1.getUser()", { id: "1", username: "ada" }],
    ["ctx.v1.user.id", "1"],
    ["ctx.v1.user.getMetadata()", { count: 1, metadata: [{ key: "plan", value: "gold" }] }],
    ["ctx.v1.org.getMetadata()", { count: 0, metadata: [] }],
  ])("has %s", async (value, expected) => {
    expect(toldBy(await sandbox.greet(telling(value), { context }))).toEqual(expected);
  });

  test("stays as it is, whatever a script does with what it was told", async () => {
    const before = structuredClone(context);
    const script = `function greet(ctx) { ctx.v1.user.id = 2; ctx.claims.email = 3; }`;
    expect((await sandbox.greet(script, { context })).problem).toBeUndefined();
    expect(context).toEqual(before);
  });
});

describe("modules", () => {
  test.each(["iam/log", "zitadel/log"])("%s logs", async (name) => {
    const script = `const { info } = require("${name}"); function greet() { info("a", 1); }`;
    expect((await sandbox.greet(script)).log).toEqual(["a 1"]);
  });

  test.each(["iam/uuid", "zitadel/uuid"])("%s makes ids, each another one", async (name) => {
    const script = telling(`[1, 2].map(() => require("${name}").v4())`);
    const made = [await sandbox.greet(script), await sandbox.greet(script)].flatMap(toldBy);
    expect(new Set(made).size).toBe(4);
    for (const id of made)
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  test.each(["fs", "node:fs", "iam/http", "__proto__", "constructor"])(
    "%s is none",
    async (name) => {
      const { problem } = await sandbox.greet(telling(`require("${name}")`));
      expect(problem).toMatchObject({ errorClass: "Error", message: `there is no module ${name}` });
    },
  );
});

test("modules are called after an alias only where there is one", async () => {
  const own = givenSandbox();
  const { problem } = await own.greet(telling("require('zitadel/log')"));
  await own.close();
  expect(problem?.message).toBe("there is no module zitadel/log");
});

describe("time and chance", () => {
  const script = telling(
    "[Date.now(), new Date().getFullYear(), Math.random(), require('iam/uuid').v4()]",
  );

  test("are the same in each dry run", async () => {
    const [one, two] = [
      await sandbox.greet(script, { isDry: true }),
      await sandbox.greet(script, { isDry: true }),
    ];
    expect(toldBy(one)).toEqual(toldBy(two));
    expect((toldBy(one) as unknown[]).slice(0, 2)).toEqual([dryTimeMs, 2026]);
  });

  test("are what they are in others", async () => {
    const before = Date.now();
    const [one, two] = [toldBy(await sandbox.greet(script)), toldBy(await sandbox.greet(script))];
    const [[time], [, , chance]] = [one as number[], two as number[]];
    expect(time).toBeGreaterThanOrEqual(before);
    expect(chance).not.toBe((one as number[])[2]);
  });
});

describe("a script that fails", () => {
  test.each([
    ["in itself", "\n  null.x;", { errorClass: "TypeError", line: 2, column: 3 }],
    [
      "in the function",
      "function greet() {\n\n    none();\n}",
      { errorClass: "ReferenceError", line: 3, column: 5 },
    ],
    [
      "later",
      "async function greet() { await 0;\n throw new RangeError('late'); }",
      { errorClass: "RangeError", message: "late", line: 2 },
    ],
    [
      "with a class of its own",
      "class Secret extends Error { name = 'S3cr3t' } throw new Secret('a');",
      { errorClass: "Error", message: "a" },
    ],
    ["with what is no error", "throw 'text';", { errorClass: "Error", message: "text" }],
    ["to parse", "let a;\nlet a;", { errorClass: "SyntaxError", line: 2 }],
    ["by having no function", "1", { errorClass: "NoFunction" }],
    ["by having something else", "var greet = {};", { errorClass: "NoFunction" }],
    [
      "by waiting for ever",
      "const greet = () => new Promise(() => {});",
      { errorClass: "Unsettled" },
    ],
    ["by a value that JSON has not", telling("() => {}"), { errorClass: "TypeError" }],
  ] as const)("%s says how and where, and asks for nothing", async (_, script, problem) => {
    expect(await sandbox.greet(script)).toMatchObject({ effects: [], problem });
  });

  test("asks for nothing, but its lines are told", async () => {
    const script = `function greet(ctx, api) {
      api.v1.claims.setClaim("early", 1);
      console.log("so far");
      throw new Error("no further");
    }`;
    const { effects, log } = await sandbox.greet(script);
    expect([effects, log]).toEqual([[], ["so far"]]);
  });

  test.each(["two words", "a-b", "class", "1st", "greet(); greet", "constructor.constructor", ""])(
    "has no function where the action is named %j",
    async (name) => {
      const { problem } = await sandbox.greet(telling("1"), { name });
      expect(problem?.errorClass).toBe("NoFunction");
    },
  );

  test("is called by a name in any letters", async () => {
    const script = "const begrüße = (c, api) => api.v1.claims.setClaim('told', 1);";
    expect(toldBy(await sandbox.greet(script, { name: "begrüße" }))).toBe(1);
  });
});

test("counts runs and those that failed, but for dry ones", async () => {
  const own = givenSandbox({ contextCharacters: 10 });
  try {
    await own.greet(telling("1"));
    await own.greet("throw 1;");
    await own.greet(telling("1"), { context: { text: "too long" } });
    await own.greet("throw 1;", { isDry: true });
    expect(own.figures()).toEqual({ actionRuns: 3, failedActionRuns: 2 });
  } finally {
    await own.close();
  }
});

test("threads find what was compiled, and keep what they compile there", () =>
  inDirectory(async (directory) => {
    const env = { ...process.env, NODE_COMPILE_CACHE: directory };
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, "sandbox-child.ts")], {
      env,
    });
    const files = await readdir(directory, { recursive: true, withFileTypes: true });
    const texts = await Promise.all(
      files.flatMap((file) =>
        file.isFile() ? readFile(join(file.parentPath, file.name), "latin1") : [],
      ),
    );
    // Only threads load it.
    expect(texts.some((text) => text.includes("loadMachines"))).toBe(true);
  }));

test("keeps no process alive that does nothing else", async () => {
  const child = join(import.meta.dirname, "sandbox-child.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [child]);
  expect(stdout).toBe('[{"kind":"setClaim","name":"told","value":1}]');
});
