import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { inFull } from "../harness/in-full.ts";
import { logPath } from "../harness/postgres.ts";
import { run } from "../start/command.ts";
import { callsTo, inDatabasePlace } from "../start/database-place.ts";
import { describeOnPostgres } from "../store/postgres-place.ts";

// The commands, on a log that lies in a database.

const stopFirst =
  "Stop each service that has this log open: its writing calls wait or fail until the end.\n";

describeOnPostgres("on a database", () => {
  test("verify, rebuild, export, import and checkpoint do what they do on a file", () =>
    inDatabasePlace(async (place) => {
      const node = await place.start("a");
      const token = await place.tokenOf("a");
      expect(await callsTo(node.url, token).add("One")).toMatchObject({ status: 200 });
      const [, dataDir = ""] = place.flagsOf("a");
      const command = (...args: string[]) => run([...args, dataDir], place.environment);
      const file = place.node("log.ndjson");

      // Beside the service.
      const verified = await command("verify");
      expect(verified).toMatchObject({ code: 0, stderr: "" });
      expect(verified.stdout).toMatch(/^Checked \d+ events of .+: nothing is damaged\.\n$/);
      expect((await command("export", file)).stdout).toMatch(/^Exported \d+ events to /);
      await node.close();

      // As on a standby, where no service starts.
      const elsewhere = await run(
        ["checkpoint", `--data-dir=${place.node("b")}`],
        place.environment,
      );
      expect(elsewhere).toMatchObject({ code: 1, stdout: "" });
      expect(elsewhere.stderr).toMatch(
        /^There is no head .+: set IAM_DATA_DIR to that of a node that has served it, or /,
      );

      const key = place.node("iam.pem");
      const checkpoint = place.node("checkpoint");
      await writeFile(key, (await command("checkpoint", "--public-key")).stdout);
      await writeFile(checkpoint, (await command("checkpoint")).stdout);
      const proof = ["--checkpoint", checkpoint, "--public-key", key];
      expect((await command("verify", ...proof)).stdout).toContain(", signed with the key in ");

      await place.run(logPath, "DELETE FROM texts; UPDATE messages SET type = 'x'");
      const damaged = await command("verify");
      expect(damaged).toMatchObject({ code: 1, stderr: "" });
      expect(damaged.stdout).toMatch(/^field name of project-\S+: it is missing$/m);
      const mended = await command("rebuild");
      expect(mended).toMatchObject({ code: 0, stderr: "" });
      expect(mended.stdout).toMatch(new RegExp(`^${stopFirst}Made \\d+ objects, .+ events of `));
      expect(await command("verify")).toMatchObject({ code: 0 });

      await place.run("UPDATE iam.events SET actor = 'x' WHERE position = 5");
      const refused = await command("rebuild");
      expect(refused).toMatchObject({ code: 1, stdout: stopFirst });
      expect(refused.stderr).toMatch(
        /^The event log in the database cannot be rebuilt: event at position 5, .+\(its MAC/,
      );

      expect(await command("import", file)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(
          "is damaged, or another process has written in the database",
        ),
      });
      await place.run("DELETE FROM iam.events; DELETE FROM iam.log");
      const imported = await command("import", file);
      expect(imported).toMatchObject({ code: 0, stderr: "" });
      expect(imported.stdout).toMatch(/^Imported \S+ in the database\. It ends at position \d+/m);
      expect(await command("verify")).toMatchObject({ code: 0 });
      const again = await place.start("a");
      expect(await callsTo(again.url, token).add("Two")).toMatchObject({ status: 200 });
    }));

  inFull(
    "token, owner-link and keys change it as on a file; backup and restore say what to use instead",
    () =>
      inDatabasePlace(async (place) => {
        await (await place.start("a")).close();
        const [, dataDir = ""] = place.flagsOf("a");
        const command = (args: readonly string[], more = {}) =>
          run([...args, dataDir], { ...place.environment, ...more });
        const { code, stdout } = await command(["token", "--user", "admin"]);
        expect(code).toBe(0);
        const left = await command(["owner-link", "--public-url=https://iam.example.com"]);
        const path = `${place.node("a")}/owner.link`;
        const told = `The link is in ${path}, and leads to https://iam.example.com.\n`;
        expect(left).toEqual({ code: 0, stdout: told, stderr: "" });
        const link = new URL(await readFile(path, "utf8"));
        const newer = `newer:${Buffer.alloc(32, 9).toString("base64")}`;
        const both = { IAM_MASTER_KEY: `${newer},${place.environment.IAM_MASTER_KEY}` };
        const rotated = await command(["keys", "rotate"]);
        expect(rotated.stderr).toMatch(/in IAM_MASTER_KEY: rotate them there by hand\.\n$/);
        const retired = await command(["keys", "retire", "ours"], both);
        expect(retired).toMatchObject({ code: 0, stderr: "" });
        expect(retired.stdout).toContain("No secret in use is sealed with the key ours");
        const node = await place.start("a", {}, { IAM_MASTER_KEY: newer });
        expect(await callsTo(node.url, stdout.trim()).add("One")).toMatchObject({ status: 200 });
        expect((await fetch(node.url + link.pathname + link.search)).status).toBe(200);
        for (const args of [
          ["backup", place.node("copy.db")],
          ["restore", place.node("copy.db")],
        ]) {
          const refused = await command(args);
          expect(refused.stderr).toMatch(/^backup and restore are for a log in a file. .+\n$/);
        }
        const said = await readFile(join(place.node("a"), "iam.head"), "utf8");
        expect(JSON.parse(said)).toMatchObject({ position: expect.any(String) });
      }),
  );

  test("a database that is not there is refused in one sentence, which names no URL", () =>
    inDatabasePlace(async ({ environment, flagsOf, url }) => {
      const [, dataDir = ""] = flagsOf("a");
      const nowhere = url.replace("iam@", "iam:sesame@").replace(/[^/]+$/, "nowhere");
      for (const args of [["verify"], ["rebuild"], ["checkpoint"], ["export", "file"]]) {
        const more = { ...environment, IAM_DATABASE_URL: nowhere };
        const { code, stderr } = await run([...args, dataDir], more);
        expect({ args, code, stderr }).toEqual({
          ...{ args, code: 1 },
          stderr: expect.stringMatching(/^The event log in the database .+ does not exist\.\n$/),
        });
        expect(stderr).not.toContain("sesame");
      }
      const empty = await run(["verify", dataDir], environment);
      expect(empty.stderr).toMatch(
        /cannot be verified: it has no event log, or an incomplete copy/,
      );
    }));
});
