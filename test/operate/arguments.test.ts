import { describe, expect, test } from "@jest/globals";
import { readArguments, usageOf } from "../../src/operate/arguments.ts";

const form = { operands: ["FILE"], flags: { "with-key": "", checkpoint: "FILE" } };

describe("what was given to a command", () => {
  test.each([
    [["a"], ["a"], {}, []],
    [["--with-key", "a"], ["a"], { "with-key": "" }, []],
    [["a", "--checkpoint", "b"], ["a"], { checkpoint: "b" }, []],
    [["--checkpoint=b=c", "a"], ["a"], { checkpoint: "b=c" }, []],
    [["--checkpoint", "--with-key", "a"], ["a"], { checkpoint: "--with-key" }, []],
    [["--data-dir", "d", "a"], ["a"], {}, ["--data-dir", "d"]],
    [["--data-dir=d", "a", "b"], ["a"], {}, ["--data-dir=d", "b"]],
    [["a", "--with-keys"], ["a"], {}, ["--with-keys"]],
  ])("%j", (argv, operands, flags, settings) => {
    expect(readArguments(argv, "backup", form)).toEqual({ operands, flags, settings });
  });

  test.each([
    [[], "backup needs FILE: see --help"],
    [["--data-dir", "d"], "backup needs FILE: see --help"],
    [["a", "--checkpoint"], "--checkpoint needs FILE"],
    [["a", "--with-key=yes"], "--with-key takes no value"],
  ])("%j is refused", (argv, says) => {
    expect(() => readArguments(argv, "backup", form)).toThrow(says);
  });

  test("an argument of a command that takes none is refused, and its value is not shown", () => {
    const says = "verify takes no file or other argument: it takes only flags, for example";
    expect(() => readArguments(["copy.db"], "verify", {})).toThrow(says);
    expect(() => readArguments(["copy.db"], "verify", {})).not.toThrow("copy.db");
    expect(readArguments(["--data-dir", "d"], "verify", {}).settings).toEqual(["--data-dir", "d"]);
  });

  test("what belongs to an object of JavaScript is no flag", () => {
    const given = readArguments(["--constructor=x", "a"], "backup", form);
    expect(given).toEqual({ operands: ["a"], flags: {}, settings: ["--constructor=x"] });
  });

  test("the usage has operands and flags", () => {
    expect(usageOf("backup", form)).toBe("backup FILE [--with-key] [--checkpoint FILE]");
    expect(usageOf("rebuild", {})).toBe("rebuild");
    const token = { flags: { user: "NAME", now: "" }, needed: ["user"] };
    expect(usageOf("token", token)).toBe("token --user NAME [--now]");
    expect(() => readArguments(["--now"], "token", token)).toThrow("token needs --user NAME");
  });
});
