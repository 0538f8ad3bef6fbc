import { once } from "node:events";
import { env, exit, stderr, stdout } from "node:process";
import express, { type RequestHandler } from "express";
import { createRemoteJWKSet, jwtVerify } from "jose";

// An API that protects routes by roles, at http://localhost:3000:
//
//   node examples/roles/serve.ts
//
// Roles of a token that is a JWT are read from it; those of any token the service tells when asked.

const { IAM_URL = "http://localhost:8080", PORT = "3000" } = env;
const { PROJECT = "", CLIENT_ID = "", CLIENT_SECRET = "" } = env;
if ([PROJECT, CLIENT_ID, CLIENT_SECRET].includes("")) {
  stderr.write("usage: PROJECT=… CLIENT_ID=… CLIENT_SECRET=… node examples/roles/serve.ts\n");
  exit(2);
}
const keys = createRemoteJWKSet(new URL(`${IAM_URL}/oauth/v2/keys`));
const credentials = Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString("base64");

/** What a valid token says; undefined for any other text. */
type Read = (token: string) => Promise<{ readonly [claim: string]: unknown } | undefined>;

/** Reads a JWT by itself: fast, and as its roles were when it was made, at most 5 minutes ago. */
const readJwt: Read = async (token) => {
  const expected = { issuer: IAM_URL, audience: PROJECT, typ: "at+jwt" };
  const verified = await jwtVerify(token, keys, expected).catch(() => undefined);
  return verified?.payload;
};

/** Asks the service: a call more, and as its roles are now. */
const introspect: Read = async (token) => {
  const response = await fetch(`${IAM_URL}/oauth/v2/introspect`, {
    method: "POST",
    headers: { authorization: `Basic ${credentials}` },
    body: new URLSearchParams({ token }),
  });
  if (!response.ok) throw new Error(`introspection answers ${response.status}`);
  const told = (await response.json()) as { readonly active: boolean };
  return told.active ? { ...told } : undefined;
};

/** Lets those pass whose token has the role in this project: else 401 without one, or 403. */
function requireRole(role: string, read: Read): RequestHandler {
  return async ({ headers }, response, next) => {
    const [, token = ""] = /^Bearer (.+)$/i.exec(headers.authorization ?? "") ?? [];
    const said = token === "" ? undefined : await read(token);
    if (said === undefined) {
      response.set("www-authenticate", "Bearer").sendStatus(401);
      return;
    }
    const roles = said[`urn:iam:org:project:${PROJECT}:roles`] ?? {};
    if (!Object.hasOwn(roles, role)) {
      response.sendStatus(403);
      return;
    }
    next();
  };
}

const app = express();
app.get("/articles", requireRole("reader", readJwt), (_, response) => {
  response.json(["First"]);
});
app.put("/articles/:id", requireRole("editor", readJwt), (_, response) => {
  response.sendStatus(204);
});
app.delete("/articles/:id", requireRole("editor", introspect), (_, response) => {
  response.sendStatus(204);
});
await once(app.listen(Number(PORT), "localhost"), "listening");
stdout.write(`the API is at http://localhost:${PORT}\n`);
