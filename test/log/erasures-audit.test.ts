import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { logIn } from "../../src/log/in-file.ts";
import { inDirectory } from "../harness/process.ts";
import { run } from "../start/command.ts";
import { erase, eventsOf, importOwner, startIn } from "./erased.ts";
import { environment } from "./forgeries.ts";

// An auditor without the key of the log believes no erasure that came behind the checkpoint.

test("erasures behind the checkpoint are named, and none before it", async () => {
  await inDirectory(async (directory) => {
    const [data, copy] = [join(directory, "data"), join(directory, "copy")];
    const print = async (name: string, ...flags: readonly string[]) => {
      const args = ["checkpoint", ...flags, `--data-dir=${data}`];
      const { stdout } = await run(args, environment);
      await writeFile(join(directory, name), stdout);
      return join(directory, name);
    };
    const service = await startIn(data);
    const key = await print("key.pem", "--public-key");
    const start = await print("start");
    const early = await importOwner(service);
    await erase(service, early);
    const between = await print("between");
    const late = await importOwner(service);
    const position = BigInt(await erase(service, late));
    const taken = (await eventsOf(service, late)).filter(({ erased }) => erased).length;
    await service.close();
    const end = await print("end");
    await mkdir(copy);
    await cp(logIn(data), logIn(copy));

    const verify = (checkpoint: string, flags: readonly string[] = [], keys = {}) => {
      const signed = [`--checkpoint=${checkpoint}`, `--public-key=${key}`];
      return run(["verify", `--data-dir=${copy}`, ...signed, ...flags], keys);
    };
    const listed = ({ stdout }: { readonly stdout: string }) => {
      const [, positions = ""] = /payloads at these positions: ([\d, ]+)\.\n/.exec(stdout) ?? [];
      return positions === "" ? [] : positions.split(", ").map(BigInt);
    };
    const seen = await verify(between);
    expect(seen.code).toBe(1);
    const found = listed(seen);
    // Those of the person, and of the key of metadata.
    expect(found.length).toBe(taken + 1);
    expect(found.every((one) => one > 0n && one < position)).toBe(true);
    expect(found).toEqual(found.toSorted((a, b) => Number(a - b)));
    expect(seen.stdout).toContain(": nothing is damaged.\n");
    const all = listed(await verify(start));
    expect(all.length).toBeGreaterThan(found.length);
    expect(all.slice(-found.length)).toEqual(found);

    const accepted = await verify(between, ["--unattested-erasures"]);
    expect(accepted.code).toBe(0);
    expect(listed(accepted)).toEqual(found);
    for (const proved of [await verify(end), await verify(between, [], environment)]) {
      expect(proved.code).toBe(0);
      expect(listed(proved)).toEqual([]);
    }
    const alone = await run(["verify", `--data-dir=${copy}`, "--unattested-erasures"]);
    expect(alone).toMatchObject({ code: 1, stdout: "" });
    expect(alone.stderr).toBe("--unattested-erasures needs --checkpoint: see --help\n");
  });
});
