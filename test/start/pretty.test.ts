import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "@jest/globals";
import { prettyLine } from "../../src/start/pretty.ts";
import { inFull } from "../harness/in-full.ts";

test("a line says when, how bad, what and with what", () => {
  const line = { level: 40, time: 1_000, pid: 1, hostname: "h", method: "a.B/C", durationMs: 3 };
  const more = { userAgent: "two words", caller: "", none: null, many: ["a"], msg: "call" };
  expect(stripVTControlCharacters(prettyLine(`${JSON.stringify({ ...line, ...more })}\n`))).toBe(
    "00:00:01.000 warn  call method=a.B/C durationMs=3 " +
      'userAgent="two words" caller="" none=null many=["a"]\n',
  );
});

test("nothing in a line moves the cursor or ends the line", () => {
  const odd = "a\u001b[2Jb\nc\u202ed\u0007";
  const line = prettyLine(JSON.stringify({ level: 30, time: 0, msg: odd, path: odd }));
  expect(stripVTControlCharacters(line).replace(/\n$/, "")).not.toMatch(/\p{C}/u);
});

test.each(["no JSON\n", "7\n", "null\n"])("a line that has no members stays: %j", (line) => {
  expect(prettyLine(line)).toBe(line);
});

const script = "/usr/bin/script";
const onTerminal = existsSync(script) ? inFull : test.skip;

onTerminal("lines are pretty where the log is a terminal, and JSON else", () => {
  const file = join(import.meta.dirname, "../../src/start/logger.ts");
  const program = `
    import { createLogs } from ${JSON.stringify(file)};
    const { log, exit } = createLogs("info");
    log.info({ of: "x" }, "said");
    exit(0);`;
  const command = `"${process.execPath}" --input-type=module --eval '${program}'`;
  const shown = execFileSync(script, ["-qc", command, "/dev/null"], { encoding: "utf8" });
  expect(stripVTControlCharacters(shown)).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info {2}said of=x\r?\n$/);
  const piped = execFileSync("/bin/sh", ["-c", `${command} 2>&1`], { encoding: "utf8" });
  expect(JSON.parse(piped)).toMatchObject({ level: 30, msg: "said", of: "x" });
});
