import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { v7 } from "uuid";
import { createServices } from "../../src/api/services.ts";
import { createExecute, type Execute } from "../../src/execute/execute.ts";
import { createFeed } from "../../src/feed.ts";
import { createFetcher, type Fetch } from "../../src/fetch/fetcher.ts";
import { defaultLimits } from "../../src/gateway/limits.ts";
import { createGateway } from "../../src/gateway/server.ts";
import { createLogs } from "../../src/log.ts";
import { projector } from "../../src/projection.ts";
import type { Passwords } from "../../src/secrets/passwords/passwords.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
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
  const opened = await openSqlite({ path: join(dataDir, "iam.db"), projector });
  const store = around(opened);
  const execute = createExecute(store, Date.now);
  const now = Date.now;
  const gateway = await createGateway({
    services: createServices({
      ...{ execute, store, keyring, passwords, fetch, now, random: randomBytes, newId: () => v7() },
      feed: createFeed(store),
      publicUrl: () => "https://iam.example.com",
    }),
    ...{ store, now, limits: defaultLimits, corsOrigins: [] },
    ...createLogs("silent"),
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
