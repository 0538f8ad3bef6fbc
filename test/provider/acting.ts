import { decodeJwt } from "jose";
import { v7 } from "uuid";
import { logIn, type Parties, startParties } from "./relying.ts";

/** An application by which access tokens are JWTs. */
export const jwt = { accessTokenType: "OIDC_TOKEN_TYPE_JWT" };

/** A statement that sets a claim, to a value in JavaScript. */
export const set = (name: string, value: string) =>
  `api.v1.claims.setClaim(${JSON.stringify(name)}, ${value});`;

/** The parties of logins where actions have time, however busy the machine is. */
export const startActing = () =>
  startParties({ sandboxLimits: { threads: 2, startMs: 20_000, waitMs: 20_000 } });

/** An action that is to be made: the body of its function. */
export interface Made {
  readonly name?: string;
  readonly body: string;
  readonly allowedToFail?: boolean;
}

/** What tests do with actions of organizations, and look at. */
export function acting(parties: Parties) {
  /** An organization with actions at triggers, one of its people, and an application. */
  async function given(
    actions: { readonly [trigger in 4 | 5]?: readonly Made[] },
    { made = {}, scope = "openid email" }: { readonly made?: object; readonly scope?: string } = {},
  ) {
    const { orgId } = await givenOrg();
    const ids: { [trigger: string]: readonly string[] } = {};
    for (const [trigger, list] of Object.entries(actions)) {
      const set: string[] = [];
      for (const one of list) set.push(await givenAction(orgId, one));
      await setActions(orgId, trigger, set);
      ids[trigger] = set;
    }
    const person = await parties.givenPerson({}, orgId);
    const app = await parties.givenApp(made);
    return { orgId, ids, person, app, scope };
  }

  async function givenOrg() {
    const { id } = await parties.call("POST", "/management/v1/orgs", { name: v7() });
    return { orgId: String(id) };
  }

  async function givenAction(org: string, { name = "claim", body, allowedToFail = false }: Made) {
    const script = `function ${name}(ctx, api) { ${body} }`;
    const message = { name, script, timeout: "10s", allowedToFail };
    const { id } = await parties.call("POST", "/management/v1/actions", message, org);
    return String(id);
  }

  const setActions = (org: string, trigger: string, actionIds: readonly string[], flow = 2) =>
    parties.call("POST", `/management/v1/flows/${flow}/trigger/${trigger}`, { actionIds }, org);

  async function tokensOf({ app, person, scope }: Awaited<ReturnType<typeof given>>) {
    const tokens = await logIn(parties.browser(), app, person, { scope });
    return {
      access: tokens.access_token,
      id: decodeJwt(String(tokens.id_token)) as { readonly [name: string]: unknown },
    };
  }

  async function userinfo(token: string) {
    const response = await fetch(`${parties.server.url}/oidc/v1/userinfo`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return {
      status: response.status,
      body: (await response.json()) as { [name: string]: unknown },
    };
  }

  async function introspect(token: string) {
    const path = `/management/v1/projects/${parties.server.project}/apps/api`;
    const api = await parties.call("POST", path, {
      ...{ name: v7(), authMethodType: "API_AUTH_METHOD_TYPE_BASIC" },
    });
    const response = await fetch(`${parties.server.url}/oauth/v2/introspect`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${api.clientId}:${api.clientSecret}`)}` },
      body: new URLSearchParams({ token }),
    });
    return {
      status: response.status,
      body: (await response.json()) as { [name: string]: unknown },
    };
  }

  async function eventsOf(stream: string, type: string) {
    const events = await parties.server.store.readStream(stream, 0, 1_000);
    return events
      .filter((event) => event.type === type)
      .map(({ actor, payload }) => ({ actor, ...(JSON.parse(payload) as object) }));
  }
  return { given, givenAction, setActions, tokensOf, userinfo, introspect, eventsOf };
}
