import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeSync } from "node:fs";
import { createExecute } from "../../src/execute/execute.ts";
import { projector } from "../../src/log/projector.ts";
import { createEmail } from "../../src/notify/channel/email.ts";
import { startWorker } from "../../src/notify/worker.ts";
import { createKeyring } from "../../src/secrets/keyring.ts";
import { parseKeyring } from "../../src/secrets/keys.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { sealing } from "../store/keys.ts";
import { importPerson, keyText, publicUrl, sender, startMs } from "./place.ts";

/*
 * A process of its own for process.test.ts: node notify-child.ts <path> import, which makes a
 * person, or <path> deliver <port>, which delivers mails until its standard input ends. It prints
 * "ready" when it has done the one or can begin the other, and begins when it reads something.
 */

const [path = "", task = "", port = ""] = process.argv.slice(2);
const store = await openSqlite({ path, projector, ...sealing });
const now = () => startMs;
const execute = createExecute(store, now);
const keyring = createKeyring(parseKeyring(keyText), randomBytes);

if (task === "import") await importPerson({ execute, keyring });
writeSync(1, "ready");
await once(process.stdin, "data");

const server = { host: "127.0.0.1", port: Number(port), isSecure: false };
const email = createEmail({ server, from: sender });
const quiet = () => {};
const worker = startWorker({
  ...{ store, execute, keyring, now },
  channels: { email, sms: email },
  jitter: () => 0,
  publicUrl: () => publicUrl,
  log: { info: quiet, warn: quiet, error: quiet },
});
await once(process.stdin, "end");
await worker.stop();
await store.close();
