import { instanceId } from "../../src/domain/instance.ts";
import { type LabelPolicy, label } from "../../src/domain/policy/label.ts";
import { type LoginPolicy, login } from "../../src/domain/policy/login.ts";
import { type PrivacyPolicy, privacy } from "../../src/domain/policy/privacy.ts";
import { reasons } from "../../src/reason.ts";
import { givenOrganization, type TestServer } from "../harness/server.ts";
import { recorded } from "./given.ts";
import { givenIDP } from "./humans.ts";

/** Policies that are there before a call, and how the calls on them are refused. */

const { images: _images, ...colours } = label.defaults;

/** An organization with a label policy of its own. */
export async function givenLabel(
  server: TestServer,
  given: Partial<LabelPolicy> = {},
): Promise<string> {
  const owner = await givenOrganization(server);
  const payload = { ...colours, ...given };
  await recorded(server, label.noun, owner, [{ type: "policy.label.added", payload }], owner);
  return owner;
}

/** An organization with a privacy policy of its own. */
export async function givenPrivacy(
  server: TestServer,
  given: Partial<PrivacyPolicy> = {},
): Promise<string> {
  const owner = await givenOrganization(server);
  const payload = { ...privacy.defaults, ...given };
  await recorded(server, privacy.noun, owner, [{ type: "policy.privacy.added", payload }], owner);
  return owner;
}

/** An organization with a login policy of its own. */
export async function givenLogin(
  server: TestServer,
  given: Partial<LoginPolicy> = {},
): Promise<string> {
  const owner = await givenOrganization(server);
  const payload = { ...login.defaults, ...given };
  await recorded(server, login.noun, owner, [{ type: "policy.login.added", payload }], owner);
  return owner;
}

/** Has the policy with the id, of an organization or of the instance, name providers. */
export function naming(server: TestServer, id: string, ids: readonly string[]): Promise<unknown> {
  const events = ids.map((idpId) => {
    return { type: "policy.login.idp.added", payload: { idpId } } as const;
  });
  const owner = id === instanceId ? server.admin.organization : id;
  return recorded(server, login.noun, owner, events, id);
}

/** An organization with a policy, and a provider of its own. */
export async function givenLoginAndIDP(server: TestServer) {
  const owner = await givenLogin(server);
  return { owner, idpId: await givenIDP(server, owner, "ORGANIZATION") };
}

/** Has the default of the instance be what it is at first: cases share it. */
export async function givenDefaults(server: TestServer): Promise<void> {
  const { organization } = server.admin;
  const [{ noun: labels }, { noun: links }, { noun: rules }] = [label, privacy, login];
  const { defaults } = login;
  const stored = await server.store.load(["labelPolicy-1", "privacyPolicy-1", "loginPolicy-1"]);
  const [hasLabel, hasPrivacy, hasLogin] = stored.map(({ state }) => state !== undefined);
  const payload = {};
  if (hasLabel) {
    const event = { type: "policy.label.removed", payload } as const;
    await recorded(server, labels, organization, [event], instanceId);
  }
  if (hasPrivacy) {
    const event = { type: "policy.privacy.removed", payload } as const;
    await recorded(server, links, organization, [event], instanceId);
  }
  if (hasLogin) {
    const changed = { type: "policy.login.changed", payload: defaults } as const;
    const event = { type: "policy.login.removed", payload } as const;
    await recorded(server, rules, organization, [event, changed], instanceId);
  }
}

const refusal = (code: number, reason: keyof typeof reasons) => {
  return { code, reason, message: reasons[reason][1] };
};

/** The refusals of the calls on policies. */
export const refusals = {
  exists: refusal(6, "POLICY_EXISTS"),
  notFound: refusal(5, "POLICY_NOT_FOUND"),
  unchanged: refusal(9, "NOTHING_CHANGED"),
  noWayIn: { code: 9, reason: "NO_WAY_IN" },
} as const;

/** The refusal of a field. */
export const invalid = (...fields: readonly string[]) => {
  return { code: 3, reason: "INVALID_FIELDS", fields };
};
