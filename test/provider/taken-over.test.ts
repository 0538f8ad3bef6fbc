import { expect, test } from "@jest/globals";
import { projector } from "../../src/log/projector.ts";
import { watching } from "../harness/watches.ts";
import { describeOnPostgres } from "../store/postgres-place.ts";
import { basic } from "./asking.ts";
import { begin, logIn, startParties } from "./relying.ts";

// What a node says once a program with another projection has taken over the log that both share.

const jwt = { accessTokenType: "OIDC_TOKEN_TYPE_JWT" };

describeOnPostgres("a node of before", () => {
  test("answers whatever asks it 503, with when to ask again", async () => {
    const parties = await startParties({ kind: "postgres", watchLimits: { silenceMs: 50 } });
    const { server, call } = parties;
    const { url, admin, project } = server;
    const [app, other] = [await parties.givenApp(), await parties.givenApp(jwt)];
    const person = await parties.givenPerson();
    const offline = { scope: "openid offline_access" };
    const tokens = await logIn(parties.browser(), app, person, offline);
    const { access_token: ofOther } = await logIn(parties.browser(), other, person);
    const made = await call("POST", `/management/v1/projects/${project}/apps/api`, {
      ...{ name: "asker", authMethodType: "API_AUTH_METHOD_TYPE_BASIC" },
    });
    const asApi = basic(String(made.clientId), String(made.clientSecret));
    const browser = parties.browser();
    const { url: login } = await browser.open((await begin(app)).url.href);
    const watch = watching("grpc", url, admin.token);
    await watch.next();
    expect((await fetch(`${url}/readyz`)).status).toBe(200);

    const node = await server.openLog({ ...projector, revision: projector.revision + 1 });

    const asAdmin = { authorization: `Bearer ${admin.token}`, "content-type": "application/json" };
    const posted = (body: object, headers = asAdmin) => {
      return { method: "POST", body: JSON.stringify(body), headers };
    };
    const sent = (fields: { [name: string]: string }, headers = {}) => {
      return { method: "POST", body: new URLSearchParams(fields), headers };
    };
    const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
    const calls: readonly (readonly [path: string, init: RequestInit])[] = [
      ["/management/v1/projects", posted({ name: "Late" })],
      ["/management/v1/projects/_search", posted({})],
      [`/management/v1/projects/${project}`, { headers: asAdmin }],
      ["/admin/v1/events/_search", posted({})],
      [`/management/v1/projects/${project}`, bearer(tokens.access_token)],
      [`/management/v1/projects/${project}`, bearer("A".repeat(43))],
      ["/oidc/v1/userinfo", bearer(tokens.access_token)],
      ["/oidc/v1/userinfo", bearer(ofOther)],
      ["/oauth/v2/introspect", sent({ token: tokens.access_token }, asApi)],
      ["/oauth/v2/introspect", sent({ token: ofOther }, asApi)],
      [
        "/oauth/v2/token",
        sent({
          ...{ grant_type: "refresh_token", refresh_token: String(tokens.refresh_token) },
          client_id: app.clientId,
        }),
      ],
      ["/oauth/v2/revoke", sent({ token: tokens.access_token, client_id: app.clientId })],
      [(await begin(app)).url.href.slice(url.length), {}],
      ["/oidc/v1/end_session", {}],
    ];
    for (const [path, init] of calls) {
      const answer = await fetch(url + path, init);
      const retry = answer.headers.get("retry-after");
      expect([path, answer.status, retry]).toEqual([path, 503, "5"]);
      const text = await answer.text();
      expect(text).toMatch(/UNAVAILABLE|temporarily_unavailable/);
      if (/^.(?:management|admin)/.test(path)) expect(text).toContain('"retryDelay":"5s"');
    }
    const { password, userName } = person;
    for (const page of [await browser.send({ userName, password }), await browser.open(login)]) {
      expect([page.status, page.headers.get("retry-after")]).toEqual([503, "5"]);
    }
    expect(await watch.end()).toMatchObject({ code: 14, reason: "UNAVAILABLE" });
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).toContain("UNAVAILABLE");

    // Nothing of all that was written.
    const streams = (await node.readAll(0n, 1_000)).map(({ stream }) => stream);
    expect(streams.at(-1)).not.toMatch(/^project-/);
    await node.close();
    await parties.close();
  });
});
