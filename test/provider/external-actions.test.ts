import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { acting } from "./acting.ts";
import { isLetIn } from "./asking.ts";
import { heading } from "./browser.ts";
import {
  comeBack,
  type ExternalParties,
  goElsewhere,
  logInElsewhere,
  startExternal,
} from "./external.ts";
import { givenRuled } from "./policies.ts";
import { logIn } from "./relying.ts";

let parties: ExternalParties;

const options = { sandboxLimits: { threads: 3, startMs: 20_000, waitMs: 20_000 } };

beforeAll(async () => {
  parties = await startExternal({ ...options, actionsTokens: true });
});
afterAll(() => parties.close());

/** Bodies of functions, by flow and trigger. */
type Scripts = { readonly [point in `${1 | 3}.${1 | 2 | 3}`]?: string };

async function given(scripts: Scripts, allowedToFail = false, at = parties) {
  const ruled = await givenRuled(at);
  const { organization } = ruled;
  const { givenAction, setActions, eventsOf } = acting(at);
  const ids: { [point: string]: string } = {};
  for (const [point, body] of Object.entries(scripts)) {
    const [flow = "", trigger = ""] = point.split(".");
    const name = `at${flow}_${trigger}`;
    const id = await givenAction(organization, { name, body, allowedToFail });
    await setActions(organization, trigger, [id], Number(flow));
    ids[point] = id;
  }
  const chosen = { isAutoCreation: true, isAutoUpdate: true };
  const idpId = await at.givenProvider({ organization, options: chosen, more: { name: v7() } });
  const sub = v7();
  at.foreign.users[sub] = {
    ...{ given_name: "Grace", family_name: "Hopper", preferred_username: sub },
    ...{ email: `${sub}@example.org`, email_verified: false, department: "compilers" },
  };
  return { ...{ organization, ids, idpId, sub, eventsOf }, app: await ruled.givenApp() };
}

async function read(userId: unknown, organization: string) {
  const path = `/management/v1/users/${userId}`;
  const { user } = await parties.call("GET", path, undefined, organization);
  return user as { readonly userName: string; readonly human: object };
}

async function metadataOf(userId: unknown, organization: string) {
  const path = `/management/v1/users/${userId}/metadata/_search`;
  const { result = [] } = await parties.call("POST", path, {}, organization);
  const entries = result as readonly { readonly key: string; readonly value: string }[];
  return Object.fromEntries(entries.map(({ key, value }) => [key, atob(value)]));
}

describe("actions behind a login elsewhere", () => {
  test("shape who has come, with what the provider has said", async () => {
    const { app, sub, organization, ids, eventsOf } = await given({
      "1.1": `
        api.setFirstName(ctx.getClaim("given_name").toUpperCase());
        api.setNickName(ctx.v1.externalUser.human.lastName);
        api.setPreferredUsername(ctx.v1.externalUser.preferredUsername + "-1");
        api.setEmailVerified(true);
        api.v1.user.appendMetadata("tokens", typeof ctx.accessToken + typeof ctx.idToken);
        api.v1.user.appendMetadata("error", ctx.v1.authError);`,
      "1.2": `
        if (ctx.v1.user.human.nickName !== "Hopper") throw new Error("not shaped");
        api.setUsername(ctx.v1.user.username + "-2"); api.setGender(1);`,
    });
    const claims = await logInElsewhere(parties, parties.browser(), app, sub);
    expect(await read(claims?.sub, organization)).toMatchObject({
      userName: `${sub}-1-2`,
      human: {
        profile: { firstName: "GRACE", nickName: "Hopper", gender: "GENDER_FEMALE" },
        email: { isEmailVerified: true },
      },
    });
    expect(await metadataOf(claims?.sub, organization)).toEqual({
      ...{ tokens: "stringstring", error: "none" },
    });
    const verified = await eventsOf(`user-${claims?.sub}`, "user.human.email.verified");
    expect(verified).toEqual([expect.objectContaining({ action: ids["1.1"] })]);
    // Each login follows the names, as the actions have them.
    parties.foreign.users[sub] = { ...parties.foreign.users[sub], given_name: "Ada" };
    await logInElsewhere(parties, parties.browser(), app, sub);
    const { human } = await read(claims?.sub, organization);
    expect(human).toMatchObject({ profile: { firstName: "ADA" } });
  });

  test("are told no tokens of the provider where the operator does not say so", async () => {
    const { sandboxLimits } = options;
    const quiet = await startExternal({ sandboxLimits });
    try {
      const told = `
        const { accessToken, refreshToken, idToken } = ctx;
        api.setNickName(typeof accessToken + typeof refreshToken + typeof idToken);`;
      const { app, sub, organization } = await given({ "1.1": told }, false, quiet);
      const claims = await logInElsewhere(quiet, quiet.browser(), app, sub);
      const path = `/management/v1/users/${claims?.sub}`;
      const { user } = await quiet.call("GET", path, undefined, organization);
      expect(user).toMatchObject({
        human: { profile: { nickName: "undefined".repeat(3) } },
      });
    } finally {
      await quiet.close();
    }
  });

  test("an address that an action sets is not one that the provider has verified", async () => {
    const { app, sub, organization } = await given({ "1.1": `api.setEmail("x@example.net");` });
    parties.foreign.users[sub] = { ...parties.foreign.users[sub], email_verified: true };
    const claims = await logInElsewhere(parties, parties.browser(), app, sub);
    const { human } = await read(claims?.sub, organization);
    expect(human).toMatchObject({ email: { email: "x@example.net" } });
    expect(human).not.toMatchObject({ email: { isEmailVerified: true } });
  });

  test("grant roles of projects that the organization may give, and of no other", async () => {
    const { app, sub, organization, ids } = await given({ "1.3": "" });
    const give = async (owner: string, key: string) => {
      const named = { name: v7() };
      const { id } = await parties.call("POST", "/management/v1/projects", named, owner);
      const role = { roleKey: key, displayName: key };
      await parties.call("POST", `/management/v1/projects/${id}/roles`, role, owner);
      return String(id);
    };
    const own = await give(organization, "reader");
    const foreign = await give(parties.server.admin.organization, "owner");
    const script = `function at1_3(ctx, api) {
      api.userGrants.push({ projectID: "${foreign}", roles: ["owner"] });
      api.v1.appendUserGrant({ projectID: "${own}", roles: ["reader"] });
      api.v1.appendUserGrant({ projectID: "${own}", roles: "all" });
    }`;
    const path = `/management/v1/actions/${ids["1.3"]}`;
    await parties.call("PUT", path, { script, updateMask: "script" }, organization);
    const claims = await logInElsewhere(parties, parties.browser(), app, sub);
    const asked = { queries: [{ userIdQuery: { userId: claims?.sub } }] };
    const search = "/management/v1/users/grants/_search";
    const { result } = await parties.call("POST", search, asked, organization);
    expect(result).toEqual([expect.objectContaining({ projectId: own, roleKeys: ["reader"] })]);
  });

  test("that fail let nobody in, unless they may", async () => {
    const broken = { "1.1": `throw new Error("broken");` } as const;
    const strict = await given(broken);
    const browser = parties.browser();
    const { url } = await goElsewhere(browser, strict.app);
    const page = await comeBack(parties, browser, { url, sub: strict.sub });
    expect([page.status, heading(page)]).toEqual([403, "You cannot log in this way"]);
    expect(await isLetIn(browser, strict.app)).toBe(false);
    const [failed] = await strict.eventsOf(`action-${strict.ids["1.1"]}`, "action.failed");
    expect(failed).toMatchObject({ flow: 1, trigger: 1, errorClass: "Error" });
    const lenient = await given(broken, true);
    const claims = await logInElsewhere(parties, parties.browser(), lenient.app, lenient.sub);
    expect(claims?.amr).toEqual(["fed"]);
  });
});

describe("actions behind a login here", () => {
  test("keep metadata, and are told how somebody has logged in", async () => {
    const body = `
      const { authMethod, getUser } = ctx.v1;
      api.v1.user.appendMetadata("by", authMethod + " " + getUser().username);`;
    const { app, organization } = await given({ "3.1": body });
    const person = await parties.givenPerson({}, organization);
    await logIn(parties.browser(), app, person);
    const by = `password ${person.userName}`;
    expect(await metadataOf(person.userId, organization)).toEqual({ by });
  });

  test("that fail let nobody in", async () => {
    const { app, organization } = await given({ "3.1": `throw new Error("broken");` });
    const person = await parties.givenPerson({}, organization);
    await expect(logIn(parties.browser(), app, person)).rejects.toThrow();
    expect(await parties.typesOf(person)).not.toContain("user.human.session.begun");
  });
});
