import { randomBytes } from "node:crypto";
import { v7 } from "uuid";
import { createFetcher } from "../../src/fetch/fetcher.ts";
import { createClock } from "../../src/log/clock.ts";
import type { Keyring } from "../../src/secrets/keyring.ts";
import type { Passwords } from "../../src/secrets/passwords/passwords.ts";
import { createLogs, type Logs } from "../../src/start/logger.ts";
import { createService } from "../../src/start/service.ts";
import type { TestServer } from "../harness/server.ts";

/** What a port may have of its own. */
interface Parts {
  readonly passwords?: Passwords;
  readonly keyring?: Keyring;
  readonly now?: () => number;
  readonly logs?: Logs;
}

/** One more port on the log of a server, with other parts behind it. */
export async function serveWith(server: TestServer, parts: Parts = {}) {
  const { passwords = server.passwords, keyring = server.keyring, now = Date.now } = parts;
  const { gateway, deliver, close } = await createService({
    ...{
      log: server.store,
      passwords,
      clock: createClock(now),
      random: randomBytes,
      newId: () => v7(),
    },
    keyring: () => keyring,
    fetcher: createFetcher({ allow: [] }),
    publicUrl: () => "https://iam.example.com",
    limits: { lingerMs: 0 },
    logs: parts.logs ?? createLogs("silent"),
  });
  const { port } = await gateway.listen("127.0.0.1", 0);
  return { port, url: `http://127.0.0.1:${port}`, deliver, close };
}
