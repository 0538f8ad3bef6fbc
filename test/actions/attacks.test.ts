import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { isFull } from "../harness/extent.ts";
import { type Greeting, givenSandbox, telling, toldBy } from "./given.ts";

/** Scripts that want out, or the service to stop. Each ends by itself or by its deadline. */

const limits = { memoryBytes: 4_194_304, threads: 2 };
const timeoutMs = 100;

let sandbox: Greeting;
beforeAll(() => {
  sandbox = givenSandbox(limits);
});
afterAll(() => sandbox.close());

const inside = (body: string) => `function greet(ctx, api) { ${body} }`;

describe("a script that takes time ends at its deadline", () => {
  test.each([
    ["a loop", inside("for (;;);")],
    [
      "a loop that catches everything",
      inside("for (;;) try { for (;;); } catch {} finally { for (;;); }"),
    ],
    ["a loop outside of the function", "for (;;);"],
    ["a regular expression", inside("/^(a+)+$/.test('a'.repeat(40) + 'b');")],
    ["microtasks without an end", inside("(function next() { Promise.resolve().then(next); })();")],
    ["a generator", inside("for (const one of (function* () { for (;;) yield 1; })());")],
    ["a getter of what is thrown", "throw { get message() { for (;;); } };"],
    ["a name of what is thrown", "throw { get name() { for (;;); }, message: 'a' };"],
    ["a text of what is thrown", "throw { toString() { for (;;); }, get stack() { for (;;); } };"],
    ["a getter of a value", inside("api.v1.claims.setClaim('a', { get b() { for (;;); } });")],
    ["toJSON of a value", inside("api.v1.claims.setClaim('a', { toJSON() { for (;;); } });")],
    ["a proxy", inside("return new Proxy({}, { get() { for (;;); } }).then;")],
    ["a thenable that is waited for", "async function greet() { await { then() { for (;;); } }; }"],
    ["a native loop", inside("[].indexOf.call({ length: 2 ** 53 - 1 }, 1);")],
    ["a native loop that nothing interrupts", inside("[].reverse.call({ length: 2 ** 53 - 1 });")],
    [
      "a native loop in what is thrown",
      "throw { get message() { [].reverse.call({ length: 2 ** 53 - 1 }); } };",
    ],
  ])("%s", async (_, script) => {
    const outcome = await sandbox.greet(script, { timeoutMs });
    expect(outcome).toMatchObject({ effects: [], problem: { errorClass: "Timeout" } });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(timeoutMs);
    expect(toldBy(await sandbox.greet(telling("'still there'")))).toBe("still there");
  });
});

describe("a script that takes memory ends where there is none", () => {
  test.each([
    ["typed arrays", inside("const all = []; for (;;) all.push(new Uint8Array(524_288));")],
    ["one large buffer", inside("new ArrayBuffer(2 ** 30);")],
    [
      "a buffer that grows",
      inside("new ArrayBuffer(8, { maxByteLength: 2 ** 30 }).resize(2 ** 30);"),
    ],
    ["texts", inside("let a = 'a'; for (;;) a += a;")],
    ["lists", inside("const all = []; for (;;) all.push([all]);")],
    ["deep JSON", inside("JSON.parse('['.repeat(1_000_000));")],
    ["deep calls", inside("(function deeper() { deeper(); })();")],
    [
      "deep objects in an effect",
      inside(
        "let a = {}; for (let i = 0; i < 5_000; i += 1) a = { a }; api.v1.claims.setClaim('a', a);",
      ),
    ],
    ["large numbers", inside("let a = 2n; for (;;) a *= a;")],
    ["effects", inside("for (;;) api.v1.claims.setClaim('a', 1);")],
  ])("%s", async (_, script) => {
    const { effects, memoryBytes, problem } = await sandbox.greet(script);
    expect(effects).toEqual([]);
    expect(problem?.errorClass).toMatch(/^(OutOfMemory|RangeError|Error|InvalidEffects)$/);
    expect(memoryBytes).toBeLessThanOrEqual(2 * limits.memoryBytes);
    expect(toldBy(await sandbox.greet(telling("'still there'")))).toBe("still there");
  });

  test("gives it back, run after run", async () => {
    const rounds = isFull ? 150 : 26;
    const script = inside("const all = []; for (;;) all.push(new Uint8Array(524_288).fill(1));");
    const before = process.memoryUsage.rss();
    let most = 0;
    for (let round = 0; round < rounds; round += 1) {
      const each = ["one", "two"].map((organization) => sandbox.greet(script, { organization }));
      for (const { problem } of await Promise.all(each)) {
        expect(problem?.errorClass).toBe("OutOfMemory");
      }
      most = Math.max(most, process.memoryUsage.rss() - before);
    }
    // All of them together would take more.
    expect(2 * rounds * limits.memoryBytes).toBeGreaterThan(200_000_000);
    expect(most).toBeLessThan(200_000_000);
  });
});

describe("a script that ends the process is thrown an error: it sends", () => {
  test.each([
    ["a field that becomes no text", "const field = { toString: 1 };"],
    [
      "a field that is deeper than calls may be",
      "let field = 1; for (let i = 0; i < 9_000; i += 1) field = [field];",
    ],
  ])("%s", async (_, script) => {
    const send = () => Promise.reject(new Error("sent"));
    const own = givenSandbox(limits, undefined, { send, hosts: ["example.com"] });
    const ask = 'require("iam/http").fetch("https://example.com/", { headers: { field } });';
    const { problem } = await own.greet(inside(script + ask));
    await own.close();
    expect(problem?.message).toBe("A header field has a name or a value that is not sent.");
  });
});

describe("CVE-2022-36067 and others: a script finds nothing of the service", () => {
  test.each([
    "typeof process",
    "typeof SharedArrayBuffer",
    "typeof Atomics",
    "typeof WebAssembly",
    "typeof fetch",
    "typeof setTimeout",
    "typeof performance",
    "typeof globalThis.constructor.constructor('return this')().process",
    "typeof (function () { return this })().process",
    "typeof ctx.constructor.constructor('return globalThis')().process",
    "typeof api.v1.claims.setClaim.constructor('return this')().process",
    "typeof new Error().stack.process",
    "typeof require.cache",
  ])("%s", async (value) => {
    expect(toldBy(await sandbox.greet(telling(value)))).toBe("undefined");
  });

  test.each(["import('node:fs')", "import('data:text/javascript,1')"])("%s", async (value) => {
    const { problem } = await sandbox.greet(`async function greet() { await ${value}; }`);
    expect(problem).toMatchObject({ errorClass: "ReferenceError" });
  });
});

describe("a script that changes what is built in", () => {
  const tricks = [
    "JSON.stringify = JSON.parse = () => { throw 1; };",
    "Array.prototype.push = Array.prototype.map = () => { throw 1; };",
    "Object.defineProperty(Array.prototype, '0', { set() { throw 1; } });",
    "Object.defineProperty(Object.prototype, 'kind', { set() { throw 1; }, get: () => 'setEmail' });",
    "Object.prototype.toJSON = () => ({ kind: 'setEmail' });",
    "String.prototype.toString = String.prototype.toJSON = () => 'setEmail';",
    "Promise.prototype.then = () => { throw 1; }; Reflect.apply = () => { throw 1; };",
    "Function.prototype.call = Function.prototype.apply = () => { throw 1; };",
    "globalThis.String = () => 'setEmail'; globalThis.JSON = {};",
    "Object.setPrototypeOf(globalThis, null);",
  ];
  test.each(tricks)("%s", async (trick) => {
    const outcome = await sandbox.greet(`${trick} async ${telling("'right'")}`);
    expect(outcome.effects.filter(({ kind }) => kind !== "setClaim")).toEqual([]);
    const isToJSON = trick.startsWith("Object.prototype.toJSON");
    if (!isToJSON) expect(toldBy(outcome)).toBe("right");
    expect("kind" in {} || "toJSON" in {}).toBe(false);
  });

  test.each(["__proto__", "constructor"])("and asks for a claim named %s", async (name) => {
    const script = inside(`api.v1.claims.setClaim('${name}', { polluted: true });`);
    const { effects, problem } = await sandbox.greet(script);
    expect(problem?.errorClass).toBe(name === "__proto__" ? "InvalidEffects" : undefined);
    expect(effects).toHaveLength(name === "__proto__" ? 0 : 1);
    expect("polluted" in {}).toBe(false);
  });

  test("and hides such a name in a value", async () => {
    const { problem } = await sandbox.greet(telling(`JSON.parse('{"a":{"__proto__":{"b":1}}}')`));
    expect(problem?.errorClass).toBe("InvalidEffects");
  });

  test("and has texts that are none", async () => {
    const { problem } = await sandbox.greet(telling(`["\\\\ud800".length, "\\ud800"]`));
    expect(problem?.errorClass).toBe("InvalidEffects");
  });
});

test("a thousand runs at once end or are refused, and another has its turn", async () => {
  const own = givenSandbox({ ...limits, waitingOfOrganization: 6 });
  const scripts = [
    "for (;;);",
    inside("[].reverse.call({ length: 2 ** 53 - 1 });"),
    inside("let a = 'a'; for (;;) a += a;"),
  ];
  const many = Array.from({ length: 1_000 }, (_, index) =>
    own.greet(scripts[index % scripts.length]!, {
      organization: `${index % 5}`,
      timeoutMs: 20,
    }),
  );
  const honest = await own.greet(telling("'mine'"), { organization: "honest" });
  expect(toldBy(honest)).toBe("mine");
  const classes = new Map<string | undefined, number>();
  for (const { problem } of await Promise.all(many)) {
    classes.set(problem?.errorClass, (classes.get(problem?.errorClass) ?? 0) + 1);
  }
  await own.close();
  expect(classes.get("Timeout")).toBeGreaterThan(10);
  expect(classes.get("Busy")).toBeGreaterThan(500);
  // A busy machine comes to the deadline before a text is too long.
  for (const one of classes.keys())
    expect(["Busy", "Error", "OutOfMemory", "Timeout"]).toContain(one);
});
