import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createEmail } from "../../src/notify/channel/email.ts";
import { workerLimits } from "../../src/notify/limits.ts";
import { importPerson, type NotifyPlace, notifyPlace, sender, startMs } from "./place.ts";
import { type Mail, type MailServer, startMailServer } from "./smtp.ts";

const sent = "user.human.initialization.code.sent";

let place: NotifyPlace;
let server: MailServer;
let hold: ((mail: Mail) => Promise<undefined>) | undefined;
let children: ChildProcessWithoutNullStreams[];

beforeEach(async () => {
  children = [];
  hold = undefined;
  place = await notifyPlace();
  server = await startMailServer(place.watch, { data: async (mail) => hold?.(mail) });
});
afterEach(async () => {
  for (const child of children) await kill(child);
  await place.remove();
  await server.down();
});

/** Starts a process and waits until it is ready. */
async function start(task: "import" | "deliver") {
  const script = fileURLToPath(new URL("./notify-child.ts", import.meta.url));
  const child = spawn(process.execPath, [script, place.path, task, `${server.server.port}`]);
  child.stderr.pipe(process.stderr, { end: false });
  children.push(child);
  const [output] = await once(child.stdout, "data");
  expect(String(output)).toBe("ready");
  return child;
}

async function kill(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "close");
}

function deliverHere(): void {
  const email = createEmail({ server: server.server, from: sender });
  place.start({ channels: { email, sms: email } });
}

test("two processes on one file send each message once", async () => {
  const people = 30;
  for (let count = 0; count < people; count += 1) await importPerson(place);
  const pair = await Promise.all([start("deliver"), start("deliver")]);
  for (const child of pair) child.stdin.write("go");
  await place.watch.until(() => server.mails.length >= people);
  const closed = Promise.all(pair.map((child) => once(child, "close")));
  for (const child of pair) child.stdin.end();
  expect(await closed).toEqual([
    [0, null],
    [0, null],
  ]);
  expect(server.mails).toHaveLength(people);
  expect(new Set(server.mails.map(({ to }) => to[0])).size).toBe(people);
  expect(await place.payloads(sent)).toHaveLength(people);
  const query = { nowMs: startMs + workerLimits.giveUpMs, leaseMs: 1, limit: 99 };
  expect(await place.store.leaseMessages(query)).toEqual([]);
});

test("a process that dies between append and send leaves the message to the next", async () => {
  await kill(await start("import"));
  deliverHere();
  await place.recorded(sent);
  expect(server.mails).toHaveLength(1);
});

test("a process that dies while it sends leaves the message to the next", async () => {
  await importPerson(place);
  let isHeld = false;
  hold = () => {
    isHeld = true;
    place.watch.happened();
    return new Promise(() => {});
  };
  const child = await start("deliver");
  child.stdin.write("go");
  await place.watch.until(() => isHeld);
  await kill(child);
  hold = undefined;
  place.clock.nowMs = startMs + workerLimits.leaseMs;
  deliverHere();
  await place.recorded(sent);
  expect(server.mails).toHaveLength(1);
});
