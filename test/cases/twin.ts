import { randomBytes } from "node:crypto";
import { v7 } from "uuid";
import type { Execute } from "../../src/execute/execute.ts";
import { createFetcher, type Fetcher } from "../../src/fetch/fetcher.ts";
import { type Clock, createClock } from "../../src/log/clock.ts";
import type { Passwords } from "../../src/secrets/passwords/passwords.ts";
import { createLogs } from "../../src/start/logger.ts";
import { createService } from "../../src/start/service.ts";
import type { Store } from "../../src/store/store.ts";
import type { TestServer } from "../harness/server.ts";

/** A second service on the log of a server: nothing but that is shared. */
export interface Twin {
  readonly url: string;
  readonly port: number;
  readonly execute: Execute;
  readonly store: Store;
  /** What it has opened, which takes events of any time. */
  readonly log: Store;
  close(): Promise<void>;
}

/** What a twin may have of its own. */
interface Parts {
  readonly passwords?: Passwords;
  readonly fetcher?: Fetcher;
  readonly clock?: Clock;
  /** Makes the store that the twin writes to of the one that it opens. */
  readonly around?: (store: Store) => Store;
}

export async function startTwin(
  { openLog, keyring, ...server }: TestServer,
  {
    passwords = server.passwords,
    fetcher = createFetcher({ allow: [] }),
    clock = createClock(),
    around = (store) => store,
  }: Parts = {},
): Promise<Twin> {
  const opened = await openLog();
  const { execute, store, gateway } = await createService({
    ...{ log: around(opened), passwords, fetcher, random: randomBytes, clock },
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
    log: opened,
    close: async () => {
      await gateway.close();
      await opened.close();
    },
  };
}
