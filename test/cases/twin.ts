import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { v7 } from "uuid";
import type { Execute } from "../../src/execute/execute.ts";
import { createFetcher, type Fetch } from "../../src/fetch/fetcher.ts";
import type { Passwords } from "../../src/secrets/passwords/passwords.ts";
import { createClock } from "../../src/start/clock.ts";
import { createLogs } from "../../src/start/log.ts";
import { projector } from "../../src/start/projector.ts";
import { createService } from "../../src/start/service.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { sealingIn } from "../harness/log-keys.ts";
import type { TestServer } from "../harness/server.ts";

/** A second service on the log of a server: nothing but the file is shared. */
export interface Twin {
  readonly url: string;
  readonly port: number;
  readonly execute: Execute;
  readonly store: Store;
  close(): Promise<void>;
}

/** What a twin may have of its own. */
interface Parts {
  readonly passwords?: Passwords;
  readonly fetch?: Fetch;
  /** Makes the store that the twin writes to of the one on the file. */
  readonly around?: (store: Store) => Store;
}

export async function startTwin(
  { dataDir, keyring, ...server }: TestServer,
  {
    passwords = server.passwords,
    fetch = createFetcher({ allow: [] }),
    around = (store) => store,
  }: Parts = {},
): Promise<Twin> {
  const opened = await openSqlite({
    path: join(dataDir, "iam.db"),
    projector,
    ...sealingIn(dataDir),
  });
  const { execute, store, gateway } = await createService({
    ...{ log: around(opened), passwords, fetch, random: randomBytes, clock: createClock() },
    keyring: () => keyring,
    newId: () => v7(),
    publicUrl: () => "https://iam.example.com",
    logs: createLogs("silent"),
  });
  const { port } = await gateway.listen("127.0.0.1", 0);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    execute,
    store,
    close: async () => {
      await gateway.close();
      await opened.close();
    },
  };
}
