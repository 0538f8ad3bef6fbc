import { cp, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { streamOf } from "../../src/domain/noun.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { few, inFull } from "../harness/in-full.ts";
import { makePipe } from "../harness/pipe.ts";
import { inDirectory } from "../harness/process.ts";
import { startReceiver } from "../notify/receiver.ts";
import { createWatch } from "../notify/watch.ts";
import { run } from "../start/command.ts";
import {
  done,
  entriesIn,
  erase,
  eventsOf,
  givenErased,
  holds,
  importOwner,
  importPeople,
  list,
  mailsIn,
  marker,
  startIn,
} from "./erased.ts";
import { environment } from "./forgeries.ts";

// Who was erased stays erased, whatever copy of the log is put back.

describe("a person who was erased after the copy was made", () => {
  few().each(["restore", "import"] as const)("is erased again after %s", async (how) => {
    await inDirectory(async (directory) => {
      const { data, other, userId, position, token, putBack } = await givenErased(directory, how);
      expect(await entriesIn(join(data, list))).toMatchObject([{ erased: userId, position }]);
      await cp(join(data, list), join(other, list), { recursive: true });
      expect(await putBack()).toMatchObject({ code: 0 });
      expect(await holds(other)).toBe(true);
      const before = await run(["verify", `--data-dir=${other}`], environment);
      expect(before.stdout).toMatch(
        `stream ${streamOf(user, userId)}: it was erased, as ${list} says, and is there: `,
      );
      expect(before.code).toBe(1);

      const service = await startIn(other, { token });
      expect(service.lines()).toMatchObject([{ level: 40, userId, position }]);
      expect((await service.call(`/management/v1/users/${userId}`)).status).toBe(404);
      const [erased, ...past] = await eventsOf(service, userId);
      const reason = `Erased before, on \\S+ at position ${position}; the log was put back since.`;
      expect(erased).toMatchObject({ type: "user.erased", erased: false });
      expect(erased?.reason).toMatch(new RegExp(`^${reason}$`));
      expect(past.map((one) => one.erased)).toEqual(past.map(() => true));
      await service.close();
      expect(await holds(other)).toBe(false);
      expect(await holds(other, Buffer.from(marker).toString("base64"))).toBe(false);
      expect((await entriesIn(join(other, list))).length).toBe(2);

      const again = await startIn(other, { token });
      expect(again.lines()).toEqual([]);
      expect((await eventsOf(again, userId)).length).toBe(past.length + 1);
      await again.close();
      const after = await run(["verify", `--data-dir=${other}`], environment);
      expect(after).toMatchObject({ code: 0 });
    });
  });

  inFull("is erased again by the list at the anchor alone", async () => {
    await inDirectory(async (directory) => {
      const settings = { IAM_ANCHOR_URL: `file://${join(directory, "elsewhere")}` };
      const given = await givenErased(directory, "restore", settings);
      const { other, userId, token, putBack } = given;
      expect(await putBack()).toMatchObject({ code: 0 });
      const decided = { historyFrom: given.copy };
      const service = await startIn(other, { token, settings, decided });
      expect((await service.call(`/management/v1/users/${userId}`)).status).toBe(404);
      await service.close();
      // Each list has what the other had.
      const own = await entriesIn(join(other, list));
      expect(own.map(({ erased }) => erased)).toEqual([userId, userId]);
      const there = await entriesIn(join(directory, "elsewhere.erasures"));
      expect(new Set(there.map(({ mac }) => mac))).toEqual(new Set(own.map(({ mac }) => mac)));
    });
  });

  test("is erased again by what a webhook was sent, once it answers", async () => {
    await inDirectory(async (directory) => {
      const watch = createWatch();
      const sent: string[] = [];
      let isUp = true;
      const webhook = await startReceiver(watch, ({ method, headers, body }, response) => {
        if (!isUp) return void response.destroy();
        const type = "application/x-ndjson";
        if (method === "POST") {
          if (headers["content-type"] === type) sent.push(body);
          return void response.end();
        }
        if (headers.accept !== type) return void response.writeHead(404).end();
        response.writeHead(200, { "content-type": type }).end(sent.join("\n"));
      });
      const settings = { IAM_ANCHOR_URL: webhook.url };
      const { other, userId, position, token, putBack } = await givenErased(
        directory,
        "restore",
        settings,
      );
      expect(sent.map((line) => JSON.parse(line))).toMatchObject([{ erased: userId, position }]);
      expect(await putBack()).toMatchObject({ code: 0 });
      isUp = false;
      const early = await startIn(other, { token, settings });
      expect(await early.warnings()).toContain(
        "The list of erasures in the anchor cannot be read: it does not answer.",
      );
      expect((await early.call(`/management/v1/users/${userId}`)).status).toBe(200);
      await early.close();
      isUp = true;
      const service = await startIn(other, { token, settings });
      expect((await service.call(`/management/v1/users/${userId}`)).status).toBe(404);
      await service.close();
      await watch.until(() => sent.length === 2);
      await webhook.close();
    });
  });
});

test("mails to a person leave the outbox as the person is erased", async () => {
  await inDirectory(async (data) => {
    const service = await startIn(data);
    const [erased = "", other = ""] = await importPeople(service, 2);
    const outbox = join(data, "outbox");
    const before = await mailsIn(outbox, (names) => names.length === 2);
    const [first] = await eventsOf(service, other);
    expect(first).toMatchObject({ erased: false });
    await done(service.call(`/management/v1/users/${erased}/_erase`, {}));
    const [left = ""] = await mailsIn(outbox, (names) => names.length === 1);
    expect(before).toContain(left);
    await service.close();
    expect(await readdir(outbox)).toEqual([left]);
    // Nor is anything taken of who is there.
    expect(await readFile(join(outbox, left), "utf8")).toContain(`To: ${marker}`);
  });
});

describe("a list of erasures", () => {
  test("that was emptied is noticed, and filled again; forged lines erase nobody", async () => {
    await inDirectory(async (directory) => {
      const { data, userId } = await givenErased(directory, "restore");
      const [entry] = await entriesIn(join(data, list));
      const service = await startIn(data);
      const another = await importOwner(service);
      await service.close();

      await writeFile(join(data, list), "");
      const verify = () => run(["verify", `--data-dir=${data}`], environment);
      const emptied = await verify();
      expect(emptied.stdout).toContain(
        `stream ${streamOf(user, userId)}: it was erased, and the list in ${list} has not that: ` +
          "a start of the service adds them\n",
      );
      expect(emptied.code).toBe(1);
      // Cut in the middle, as a failure of power leaves it, behind a forged line.
      const forged = JSON.stringify({ ...entry, erased: another });
      await writeFile(join(data, list), `${forged}\n{"log":"`);
      const restarted = await startIn(data);
      expect(restarted.lines()).toMatchObject([{ level: 50, forged: 1 }]);
      expect((await restarted.call(`/management/v1/users/${another}`)).status).toBe(200);
      while (!(await readFile(join(data, list), "utf8")).includes(entry.mac)) {
        await restarted.warnings();
      }
      await restarted.close();
      const after = await verify();
      expect(after.stdout).toContain(
        `erasures: the list in ${list} has a line not sealed with the key of the log\n`,
      );
      await writeFile(
        join(data, list),
        (await readFile(join(data, list), "utf8")).split("\n", 3).slice(2).join("\n"),
      );
      expect(await verify()).toMatchObject({ code: 0 });
    });
  });

  test("that is missing is said by verify, where somebody was erased", async () => {
    await inDirectory(async (directory) => {
      const { data } = await givenErased(directory, "restore");
      const copied = join(directory, "copied");
      const copy = ["copy", "--to", copied, `--data-dir=${data}`];
      expect(await run(copy, environment)).toMatchObject({ code: 0 });
      const { code, stdout } = await run(["verify", `--data-dir=${copied}`], environment);
      expect(stdout).toContain(
        `Erasures were not compared with a list in ${list}: it is missing or empty; ` +
          "a start of the service adds them.\n",
      );
      expect(code).toBe(0);
    });
  });

  few().each([
    ["a pipe", makePipe, "it is no regular file"],
    [
      "a link",
      (path: string): Promise<void> => symlink("elsewhere", path),
      "it is a symbolic link",
    ],
  ] as const)("that is %s holds no start up, and shows in /readyz", async (_, put, why) => {
    await inDirectory(async (data) => {
      await writeFile(join(data, "elsewhere"), "theirs");
      await put(join(data, list));
      const service = await startIn(data);
      await erase(service, await importOwner(service));
      expect(await service.warnings()).toEqual(
        ["read", "written"].map(
          (doing) => `The list of erasures in ${list} cannot be ${doing}: ${why}.`,
        ),
      );
      await service.close();
      expect(await readFile(join(data, "elsewhere"), "utf8")).toBe("theirs");
      const { stdout } = await run(["verify", `--data-dir=${data}`], environment);
      expect(stdout).toContain(
        `Erasures were not compared with a list in ${list}: it cannot be read: ${why}; `,
      );
    });
  });

  test("that cannot be written refuses no erasure, and shows in /readyz", async () => {
    await inDirectory(async (directory) => {
      const data = join(directory, "data");
      const service = await startIn(data);
      const userId = await importOwner(service);
      await cp(join(data, "admin.token"), join(data, list, "in-the-way"));
      await erase(service, userId);
      const why = "EISDIR";
      const warning = `The list of erasures in ${list} cannot be written: ${why}.`;
      expect(await service.warnings()).toEqual([warning]);
      expect(service.lines()).toMatchObject([{ level: 50, why }]);
      await service.close();
    });
  });
});
