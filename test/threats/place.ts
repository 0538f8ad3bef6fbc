import { randomBytes } from "node:crypto";
import { create, type Message } from "@bufbuild/protobuf";
import { v7 } from "uuid";
import { createServices } from "../../src/api/services.ts";
import { createFeed } from "../../src/feed.ts";
import { createFetcher } from "../../src/fetch/fetcher.ts";
import { defaultLimits } from "../../src/gateway/limits.ts";
import { createGateway } from "../../src/gateway/server.ts";
import { createLogs, type Logs } from "../../src/log.ts";
import type { Keyring } from "../../src/secrets/keyring.ts";
import type { Passwords } from "../../src/secrets/passwords/passwords.ts";
import type { Calling } from "../cases/phones.ts";
import type { TestClient } from "../harness/clients.ts";
import type { TestServer } from "../harness/server.ts";

/** What a port may have of its own. */
interface Parts {
  readonly passwords?: Passwords;
  readonly keyring?: Keyring;
  readonly now?: () => number;
  readonly logs?: Pick<Logs, "log" | "logCall">;
}

/** One more port on the log of a server, with other parts behind it. */
export async function serveWith(server: TestServer, parts: Parts) {
  const { execute, store } = server;
  const { passwords = server.passwords, keyring = server.keyring, now = Date.now } = parts;
  const gateway = await createGateway({
    services: createServices({
      ...{ execute, store, keyring, passwords, now, random: randomBytes, newId: () => v7() },
      feed: createFeed(store),
      fetch: createFetcher({ allow: [] }),
      publicUrl: () => "https://iam.example.com",
    }),
    ...{ store, now, limits: defaultLimits, corsOrigins: [] },
    ...(parts.logs ?? createLogs("silent")),
  });
  const { port } = await gateway.listen("127.0.0.1", 0);
  return { port, url: `http://127.0.0.1:${port}`, close: () => gateway.close() };
}

/** Calls through one client, each with names that nothing else has. */
export function callingOf(server: TestServer, client: TestClient): Calling {
  return {
    server,
    unique: v7(),
    call: (method, init, token = server.admin.token) =>
      client.call(method, create(method.input, init) as Message, {
        authorization: `Bearer ${token}`,
      }),
  };
}
