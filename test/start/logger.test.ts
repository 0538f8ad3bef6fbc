import { execFile } from "node:child_process";
import { once } from "node:events";
import { openSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { openLog, startBytesMax, waitingBytesMax } from "../../src/start/logger.ts";
import { few } from "../harness/in-full.ts";

const log = join(import.meta.dirname, "../../src/start/logger.ts");

/** What three processes log into one pipe, whose reader begins when it has long been full. */
async function logTogether(): Promise<readonly string[]> {
  const program = `
    import { createLogs } from ${JSON.stringify(log)};
    const { log, exit } = createLogs("info", { isShared: true });
    for (let line = 0; line < 1_000; line += 1) log.info({ of: "x".repeat(400) });
    exit(0);`;
  const one = `"$0" --input-type=module --eval "$1"`;
  const script = `(${one} & ${one} & ${one} & wait) 2>&1 | (sleep 0.5; cat)`;
  const args = ["-c", script, process.execPath, program];
  const { stdout } = await promisify(execFile)("bash", args, { maxBuffer: 16 * 1024 * 1024 });
  return stdout.split("\n").filter((line) => line !== "");
}

function isWhole(line: string): boolean {
  try {
    return typeof JSON.parse(line) === "object";
  } catch {
    return false;
  }
}

test("lines of processes that share a log stay whole while its reader is slow", async () => {
  const lines = await logTogether();
  expect(lines.filter((line) => !isWhole(line))).toEqual([]);
  // More than the pipe holds; a process may have to go before the reader has come.
  expect(lines.length).toBeGreaterThan(100);
});

few().each([
  ["one after the other", "setImmediate(again);"],
  ["all at once", "for (let i = 0; i < 100; i += 1) setTimeout(again, 0);"],
  ["only one", ""],
])("stray errors end the process once, and are told by lines alone: %s", async (_, more) => {
  const program = `
    import { createLogs } from ${JSON.stringify(log)};
    import { takeStrayErrors } from ${JSON.stringify(join(log, "../process.ts"))};
    const logs = createLogs("info");
    logs.gather();
    takeStrayErrors(logs);
    let left = 100_000;
    const again = () => {
      if ((left -= 1) > 0) { ${more} }
      throw new Error("stray");
    };
    setTimeout(again, 0);`;
  const child = execFile(process.execPath, ["--input-type=module", "--eval", program]);
  let said = "";
  child.stderr?.on("data", (text: string) => {
    said += text;
  });
  expect(await once(child, "close")).toEqual([1, null]);
  const lines = said.trimEnd().split("\n");
  expect(lines.filter((line) => !isWhole(line))).toEqual([]);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ msg: "a defect ends the service" });
});

test("lines of a start are out at once up to 16 KiB, and others wait for each other", async () => {
  const said = async (statements: string) => {
    const program = `
      import { createLogs } from ${JSON.stringify(log)};
      const { log, gather } = createLogs("info");
      ${statements}
      process.kill(process.pid, "SIGKILL");`;
    const child = execFile(process.execPath, ["--input-type=module", "--eval", program]);
    let text = "";
    child.stderr?.on("data", (part: string) => {
      text += part;
    });
    expect(await once(child, "close")).toEqual([null, "SIGKILL"]);
    return text.split("\n").slice(0, -1);
  };
  const one = `log.info({}, "${"x".repeat(100)}");`;
  const lines = await said(`for (let i = 0; i < 110; i += 1) ${one}`);
  const bytes = (lines[0]?.length ?? 0) + 1;
  expect(lines).toHaveLength(Math.floor(startBytesMax / bytes));
  expect(await said(`${one} gather(); ${one}`)).toHaveLength(1);
});

test("4 MiB of lines wait, a byte more is dropped, and later there is room", async () => {
  const directory = await mkdtemp(join(tmpdir(), "iam-log-"));
  const path = join(directory, "log");
  const stream = openLog(openSync(path, "w"), { isShared: false });
  const dropped: string[] = [];
  stream.on("drop", (line: Uint8Array) => dropped.push(String(line)));
  const flushed = () => new Promise((resolve) => stream.flush(resolve));

  const line = `${"x".repeat(1_023)}\n`;
  for (let bytes = 0; bytes < waitingBytesMax; bytes += line.length) stream.write(line);
  expect(dropped).toEqual([]);
  stream.write("\n");
  expect(dropped).toEqual(["\n"]);

  await flushed();
  expect(statSync(path).size).toBe(waitingBytesMax);
  stream.write("\n");
  await flushed();
  expect([dropped.length, statSync(path).size]).toEqual([1, waitingBytesMax + 1]);
  stream.end();
  await once(stream, "close");
  await rm(directory, { recursive: true });
});
