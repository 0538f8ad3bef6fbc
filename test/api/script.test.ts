import { afterEach, describe, expect, test } from "@jest/globals";
import { scriptProblem } from "../../src/api/script.ts";
import { anyCharacter } from "../harness/characters.ts";
import { fc } from "../harness/laws.ts";

/** What is wrong with a script; fails where nothing is. */
function problemOf(script: string): string {
  const problem = scriptProblem(script);
  expect(problem).toMatch(/^must parse as JavaScript: /);
  return problem?.replace(/^must parse as JavaScript: /, "") ?? "";
}

describe("what is taken", () => {
  test.each([
    ["a function", "function onLogin(ctx, api) { api.setClaim('a', ctx.user.id) }"],
    ["the newest syntax", "class A { #x = 1n ** 2n; static { this.y ??= #x in this } }"],
    ["asynchronous functions", "async function f() { for await (const a of b) await a }"],
    ["await as a name, outside of modules", "var await = 1; await"],
    ["an import that is a call", "import('x').then(({ a }) => a)"],
    ["with, where it is not strict", "with (a) b"],
    ["HTML comments, as browsers do", "<!-- a\n1\n--> b"],
    ["groups with names", "/(?<year>\\d{4})-(?<month>\\d\\d)\\k<year>/u"],
    ["one name of groups in alternatives", "/(?<a>x)|(?<a>y)/"],
    ["letters of other scripts", "const größe = 'ﷺ', 変数 = größe + '😀'"],
    ["escapes in names", "var \\u0061\\u{62} = 1"],
    ["half a character in a text", "'\\ud83d'"],
    ["a byte order mark", "\ufeff1"],
    ["line ends of all kinds", "a\nb\rc\r\nd\u2028e\u2029f"],
    ["nothing but a comment", "// nothing"],
    ["white space", " "],
    ["a number of 2,000 digits", "9".repeat(2_000)],
    ["a deep nesting of blocks", `${"{".repeat(1_000)}${"}".repeat(1_000)}`],
  ])("%s", (_what, script) => {
    expect(scriptProblem(script)).toBeUndefined();
  });
});

describe("what is refused, with its place", () => {
  test.each([
    ["half an expression", "1 +", "Unexpected token at line 1, column 4"],
    ["a second line", "a\n  )", "Unexpected token at line 2, column 3"],
    ["after a carriage return", "a\r\n)", "Unexpected token at line 2, column 1"],
    ["after a separator of lines", "a\u2028 )", "Unexpected token at line 2, column 2"],
    ["after an emoji", "'😀😀' )", "Unexpected token at line 1, column 6"],
    ["after an emoji on an earlier line", "'😀'\n)", "Unexpected token at line 2, column 1"],
    ["an emoji", "let 😀", "Unexpected character '😀' at line 1, column 5"],
    ["what is not seen", "\u200b", "Unexpected character '\u200b' at line 1, column 1"],
    ["an open text", "'a", "Unterminated string constant at line 1, column 1"],
    ["an open template", "`a", "Unterminated template at line 1, column 2"],
    ["an open comment", "/*", "Unterminated comment at line 1, column 1"],
    ["an open regular expression", "/[/", "Unterminated regular expression at line 1, column 2"],
    ["a name that is there", "let a; let a", "Identifier 'a' has already been declared at"],
    ["a return outside", "return 1", "'return' outside of function at line 1, column 1"],
    ["an import", "import a from 'a'", "'import' and 'export' may appear only with"],
    ["an export", "export default 1", "'import' and 'export' may appear only with"],
    ["the meta of modules", "import.meta", "Cannot use 'import.meta' outside a module at"],
    ["await outside", "await a", "Unexpected token at line 1, column 7"],
    ["await in strict code outside", "'use strict'; await a", "Unexpected token at line 1"],
    ["with, where it is strict", "'use strict'; with(a){}", "'with' in strict mode at line 1"],
    ["octal, where it is strict", "'use strict'; 010", "Invalid number at line 1, column 15"],
    ["delete, where it is strict", "'use strict'; delete a", "Deleting local variable in strict"],
    ["strict in classes", "class A { m() { with (a) b } }", "'with' in strict mode at line 1"],
    ["a hash-bang", "#!/usr/bin/node\n1", "Unexpected character '!' at line 1, column 2"],
    ["a name of groups twice", "/(?<a>x)(?<a>y)/", "Duplicate capture group name at line 1"],
    ["no such group", "/(?<a>x)\\k<b>/", "Invalid named capture referenced at line 1"],
    ["no such property", "/\\p{Nothing}/u", "Invalid property name at line 1, column 2"],
    ["flags twice", "/a/gg", "Duplicate regular expression flag at line 1, column 2"],
    ["a prototype twice", "({__proto__:a,__proto__:b})", "Redefinition of __proto__ property"],
    ["a type", "let a: string", "Unexpected token at line 1, column 6"],
    ["a tag", "<a></a>", "Unexpected token at line 1, column 1"],
    ["U+0000", "a\0", "Unexpected character '\0' at line 1, column 2"],
  ])("%s", (_what, script, problem) => {
    expect(problemOf(script)).toContain(problem);
    expect(problemOf(script)).toMatch(/ at line \d+, column \d+$/);
  });

  test.each([
    ["brackets", "(".repeat(2_000)],
    ["brackets that are closed", `${"(".repeat(999)}1${")".repeat(999)}`],
    ["lists", `${"[".repeat(1_000)}${"]".repeat(1_000)}`],
    ["functions", `${"a=>".repeat(666)}1`],
    ["templates", "`${".repeat(666)],
    ["calls", "f(".repeat(1_000)],
    ["objects", `x=${"{a:".repeat(600)}`],
  ])("%s nested as deeply as a script can", (_what, script) => {
    expect(problemOf(script)).toMatch(/stack|nests|Unexpected token/);
  });

  test("whatever it is, without ever throwing", () => {
    const parts = fc.constantFrom(
      ..."function class async await yield let var = => ( ) { } [ ] / \\ ` ${ ' \" # @ ; , . ? : *"
        .split(" ")
        .concat(["\n", "\u2028", " ", "😀", "\ud800", "a", "1", "<!--", "-->", "/*", "import"]),
    );
    const near = fc.array(parts, { maxLength: 60 }).map((some) => some.join(""));
    fc.assert(
      fc.property(fc.oneof(near, fc.string({ unit: anyCharacter })), (script) => {
        expect(scriptProblem(script) ?? "must parse 0").toMatch(/^must parse.* \d+$/s);
      }),
    );
  });
});

// What comes is not run; what runs is in a sandbox.
describe("CVE-2022-36067 and others: nothing is run", () => {
  const traces = globalThis as { planted?: string };

  afterEach(() => {
    delete traces.planted;
  });

  test.each([
    ["an assignment", "globalThis.planted = 'a'"],
    ["a declaration", "var planted = 'a'"],
    ["a constructor", "[].constructor.constructor('globalThis.planted = 1')()"],
    ["a prototype", "Object.prototype.planted = 'a'; ({}).__proto__.planted = 'b'"],
    ["a getter in an object", "({ get a() { return globalThis.planted = 'a' } }).a"],
    ["a static block", "class A { static { globalThis.planted = 'a' } }"],
    ["a tagged template", "((a) => { globalThis.planted = a })`a`"],
    ["a computed name", "({ [globalThis.planted = 'a']: 1 })"],
    ["an import", "import('data:text/javascript,globalThis.planted=1')"],
    ["the end of the process", "process.exit(1)"],
    ["an error", "throw new Error('a')"],
    ["a loop without an end", "for (;;);"],
    ["a regular expression that takes forever", "/^(a+)+$/.test('a'.repeat(99) + 'b')"],
    ["a number that takes forever", "9n ** 9n ** 9n ** 9n"],
  ])("of %s", (_what, script) => {
    expect(scriptProblem(script)).toBeUndefined();
    expect(traces.planted).toBeUndefined();
    expect("planted" in {}).toBe(false);
  });
});
