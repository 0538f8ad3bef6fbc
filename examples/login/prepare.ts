import { randomBytes } from "node:crypto";

/** What `serve.ts` begins with: an application at the service, and somebody to log in. */
export async function prepare({ url, token, here }: { url: string; token: string; here: string }) {
  const base = url.endsWith("/") ? url : `${url}/`;
  async function call(path: string, body: object) {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(new URL(`management/v1/${path}`, base), sent).catch((cause) => {
      throw new Error(`no service answers at ${url}: set IAM_URL`, { cause });
    });
    // biome-ignore lint/suspicious/noExplicitAny: an example does without the types of the contract
    return { ok: response.ok, found: (await response.json()) as any };
  }

  // The oldest: others may come and go.
  const projects = await call("projects/_search", { query: { asc: true, limit: 1 } });
  const [project] = projects.found.result ?? [];
  if (!projects.ok) throw new Error(`the projects cannot be read: ${projects.found.message}`);
  if (project === undefined) throw new Error("there is no project: make one first");
  const settings = {
    name: `Example at ${here}`,
    redirectUris: [`${here}/callback`],
    postLogoutRedirectUris: [`${here}/`],
    responseTypes: ["OIDC_RESPONSE_TYPE_CODE"],
    grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE"],
    authMethodType: "OIDC_AUTH_METHOD_TYPE_NONE",
    devMode: true,
  };
  const made = await call(`projects/${project.id}/apps/oidc`, settings);
  const apps = made.ok ? undefined : await call(`projects/${project.id}/apps/_search`, {});
  const clientId: string | undefined =
    made.found.clientId ??
    apps?.found.result?.find((app: { name: string }) => app.name === settings.name)?.oidcConfig
      .clientId;
  if (clientId === undefined) throw new Error(`no application: ${made.found.message}`);

  const password = randomBytes(12).toString("base64url");
  const imported = await call("users/human/_import", {
    userName: "example",
    profile: { firstName: "Ada", lastName: "Lovelace" },
    email: { email: "example@example.com", isEmailVerified: true },
    password,
  });
  const advice = imported.ok
    ? `log in as example with the password ${password}`
    : "log in as example with the password of the first start, or choose another behind " +
      '"Forgot password?": the mail is in data/outbox/ of the service';
  return { clientId, advice };
}
