import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { hash, verify } from "@node-rs/argon2";
import Database from "better-sqlite3";
import { ownArgon2 } from "../../src/secrets/passwords/argon2.ts";
import { answerParent } from "../child.ts";

/**
 * better-auth with its defaults behind a plain server, on the same SQLite and the same fsync as the
 * service: a file in WAL mode with synchronous=FULL, through the same better-sqlite3. It hashes
 * passwords as the service does, with the same library, in libuv's threads.
 * The first argument is a directory.
 */
const [, , directory = "bench/out"] = process.argv;

/** What is used of its packages, which are there only where the bench has installed them. */
interface Packages {
  readonly betterAuth: (options: object) => Auth;
  readonly getMigrations: (options: object) => Promise<{ runMigrations(): Promise<void> }>;
  readonly toNodeHandler: (auth: Auth) => RequestListener;
  readonly admin: () => object;
  readonly oauthProvider: (options: object) => object;
  readonly sso: (options: object) => object;
}

interface Auth {
  readonly options: object;
  readonly api: {
    signUpEmail(call: { readonly body: object; readonly asResponse: true }): Promise<Response>;
  };
}

const names = [
  ...["better-auth", "better-auth/db/migration", "better-auth/node", "better-auth/plugins"],
  ...["@better-auth/oauth-provider", "@better-auth/sso"],
];
const packages: Packages = Object.assign(
  {},
  ...(await Promise.all(names.map((name) => import(name)))),
);

const db = new Database(join(directory, "better-auth.db"));
db.pragma("journal_mode = WAL");
db.pragma("synchronous = FULL");

// The port is part of the address that it asks callers to name, so it is taken first.
const server = createServer();
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
const origin = `http://127.0.0.1:${port}`;

const auth = packages.betterAuth({
  database: db,
  baseURL: origin,
  secret: "0123456789abcdef".repeat(2),
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { disabled: true },
  emailAndPassword: {
    enabled: true,
    password: {
      // 2 is Argon2id among the package's numbers, which exist for the type checker only.
      hash: (password: string) => hash(password, { ...ownArgon2, algorithm: 2 }),
      verify: (one: { hash: string; password: string }) => verify(one.hash, one.password),
    },
  },
  plugins: [
    packages.admin(),
    packages.oauthProvider({
      ...{ loginPage: "/login", consentPage: "/consent", disableJwtPlugin: true },
      silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
    }),
    packages.sso({ providersLimit: Number.MAX_SAFE_INTEGER }),
  ],
});
await (await packages.getMigrations(auth.options)).runMigrations();
server.on("request", packages.toNodeHandler(auth));

const owner = { email: "owner@example.com", password: "correct horse battery", name: "Owner" };
const signedUp = await auth.api.signUpEmail({ body: owner, asResponse: true });
const cookie = signedUp.headers
  .getSetCookie()
  .map((one) => one.split(";")[0])
  .join("; ");
db.prepare("UPDATE user SET role = 'admin'").run();

const answers = {
  /** Where calls go, and the headers with which they are the owner's. */
  target: () => ({ port, headers: { origin, cookie } }),
  /** CPU time of all threads so far, in microseconds. */
  cpuMicros: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
};

/** What can be asked of better-auth's process. */
export type BetterAuthAnswers = typeof answers;

answerParent(answers, async () => {
  server.closeAllConnections();
  server.close();
  db.close();
});
