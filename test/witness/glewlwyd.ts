import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { findProgram } from "../harness/program.ts";
import { createCertificate } from "../port/certificate.ts";
import { listens } from "./listens.ts";

/** What Debian has of it: its modules, its pages, and the tables of its first start. */
const modules = "/usr/lib/glewlwyd";
const pages = "/usr/share/glewlwyd/webapp";
const tables = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3";

/** The program, where it is installed. */
export function findGlewlwyd(): string | undefined {
  return existsSync(tables) ? findProgram(["glewlwyd"]) : undefined;
}

/** Somebody who has an account there, and the client that a service is known as. */
export const glewlwydUser = {
  ...{ username: "ada", password: "correct horse battery" },
  ...{ name: "Ada Lovelace", email: "ada@example.org" },
};
export const glewlwydClient = { clientId: "iam", clientSecret: "a-secret-of-Glewlwyd" };

/** Glewlwyd as an OpenID provider. */
export interface Glewlwyd {
  readonly issuer: string;
  /** Goes to an address of it as the user, or as nobody; answers where that leads. */
  visit(url: string, isLoggedIn?: boolean): Promise<string>;
  /** The cookies of a browser in which the user is logged in there. */
  cookies(): Promise<readonly { name: string; value: string; url: string }[]>;
  /** Lets a service have people log in there, which it leads back to this address. */
  serve(redirectUri: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts it on a database of its own in the directory; resolves when it has its user. */
export async function startGlewlwyd(directory: string, port: number): Promise<Glewlwyd> {
  const program = findGlewlwyd();
  if (program === undefined) throw new Error("there is no Glewlwyd");
  const origin = `http://127.0.0.1:${port}`;
  const configuration = await configure(directory, port, origin);
  const child = spawn(program, [`--config-file=${configuration}`], { stdio: "ignore" });
  const ended = once(child, "close");
  const early = ended.then(([code]) => {
    throw new Error(`Glewlwyd ended with ${code}`);
  });
  early.catch(() => {});
  await Promise.race([early, listens(port)]);

  async function call(verb: string, path: string, cookie: string, body?: object) {
    const response = await fetch(`${origin}/api/${path}`, {
      method: verb,
      redirect: "manual",
      headers: { cookie, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (response.status >= 400) {
      throw new Error(`${verb} ${path}: ${response.status} ${await response.text()}`);
    }
    return response;
  }

  async function logIn(username: string, password: string): Promise<string> {
    const { headers } = await call("POST", "auth/", "", { username, password });
    return headers
      .getSetCookie()
      .map((line) => line.split(";", 1)[0])
      .join("; ");
  }

  const issuer = `${origin}/api/oidc`;
  const admin = await logIn("admin", "password");
  const scopes = ["openid", "profile", "email"];
  await call("POST", "mod/plugin/", admin, pluginOf(issuer, scopes));
  for (const name of ["profile", "email"]) {
    const scope = { name, display_name: name, description: name, password_required: true };
    await call("POST", "scope/", admin, { ...scope, password_max_age: 0, scheme: {} });
  }
  const granted = { scope: [...scopes, "g_profile"], enabled: true };
  await call("POST", "user/", admin, { ...glewlwydUser, ...granted });

  return {
    issuer,
    async visit(url, isLoggedIn = true) {
      const { username, password } = glewlwydUser;
      const cookie = isLoggedIn ? await logIn(username, password) : "";
      if (isLoggedIn) await call("PUT", "auth/grant/iam/", cookie, { scope: scopes.join(" ") });
      const more = isLoggedIn ? "&g_continue" : "";
      const answer = await fetch(url + more, { redirect: "manual", headers: { cookie } });
      return String(answer.headers.get("location"));
    },
    async cookies() {
      const { username, password } = glewlwydUser;
      const pairs = (await logIn(username, password)).split("; ");
      return pairs.map((pair) => {
        const [name = "", value = ""] = pair.split(/=(.*)/s, 2);
        return { name, value, url: origin };
      });
    },
    serve: async (redirectUri) => {
      const { clientId: client_id, clientSecret: client_secret } = glewlwydClient;
      await call("POST", "client/", admin, {
        ...{ client_id, client_secret, name: "IAM" },
        ...{ enabled: true, confidential: true, redirect_uri: [redirectUri] },
        ...{ authorization_type: ["code"], scope: scopes },
        token_endpoint_auth_method: ["client_secret_basic", "client_secret_post"],
      });
    },
    close: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function configure(directory: string, port: number, origin: string): Promise<string> {
  const database = join(directory, "glewlwyd.db");
  const db = new Database(database);
  db.exec(await readFile(tables, "utf8"));
  db.close();
  // It looks at these although it serves without TLS.
  const { cert, key } = createCertificate("glewlwyd");
  const [certPath, keyPath] = [join(directory, "cert.pem"), join(directory, "cert.key")];
  await writeFile(certPath, cert);
  await writeFile(keyPath, key);
  const settings = {
    ...{ port, bind_address: "127.0.0.1", external_url: origin, login_url: "login.html" },
    ...{ api_prefix: "api", log_mode: "file", log_level: "INFO", cookie_secure: 0 },
    log_file: join(directory, "glewlwyd.log"),
    ...{ session_expiration: 3_600, session_key: "GLEWLWYD2_SESSION_ID" },
    ...{ admin_session_authentication: "cookie", profile_session_authentication: "cookie" },
    ...{ admin_scope: "g_admin", profile_scope: "g_profile", login_api_enabled: true },
    ...{ user_module_path: `${modules}/user`, client_module_path: `${modules}/client` },
    ...{ user_auth_scheme_module_path: `${modules}/scheme` },
    ...{ plugin_module_path: `${modules}/plugin`, static_files_path: pages },
    ...{ use_secure_connection: false, secure_connection_key_file: keyPath },
    ...{ secure_connection_pem_file: certPath, hash_algorithm: "SHA512" },
  };
  const types = { ".html": "text/html", ".js": "application/javascript", ".css": "text/css" };
  const lines = [
    ...Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
    `database = { type = "sqlite3"; path = ${JSON.stringify(database)}; };`,
    `static_files_mime_types = (${Object.entries({ ...types, ".json": "application/json" })
      .map(([extension, type]) => `{ extension = "${extension}" mime_type = "${type}" }`)
      .join(", ")})`,
  ];
  const path = join(directory, "glewlwyd.conf");
  await writeFile(path, lines.join("\n"));
  return path;
}

/** The OpenID provider among its parts; what is not on here is not offered. */
function pluginOf(iss: string, scopes: readonly string[]) {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const flows = ["token", "id-token", "none", "password", "client", "device", "refresh"];
  return {
    ...{ module: "oidc", name: "oidc", display_name: "OpenID", order_rank: 0, enabled: true },
    parameters: {
      ...{ iss, "jwt-type": "rsa", "jwt-key-size": "256" },
      key: privateKey.export({ format: "pem", type: "pkcs8" }),
      cert: publicKey.export({ format: "pem", type: "spki" }),
      ...{ "access-token-duration": 600, "refresh-token-duration": 600, "code-duration": 60 },
      ...{ "refresh-token-rolling": true, "allow-non-oidc": false, "auth-type-code-enabled": true },
      ...Object.fromEntries(flows.map((name) => [`auth-type-${name}-enabled`, false])),
      ...{ scope: [], "additional-parameters": [], claims: [], "allowed-scope": scopes },
      ...{ "subject-type": "public", "pkce-allowed": true, "pkce-method-plain-allowed": false },
      ...{ "name-claim": "mandatory", "email-claim": "mandatory" },
    },
  };
}
