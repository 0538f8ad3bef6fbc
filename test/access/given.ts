import { v7 } from "uuid";
import { type ActionEvent, action } from "../../src/domain/action.ts";
import { type AppEvent, app } from "../../src/domain/app/app.ts";
import { org } from "../../src/domain/org.ts";
import type { Membership } from "../../src/domain/permission.ts";
import { project, setUpProject } from "../../src/domain/project.ts";
import { metadata } from "../../src/domain/user/metadata.ts";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { user } from "../../src/domain/user/state/user.ts";
import type { NewEvent } from "../../src/event.ts";
import type { StreamRef } from "../../src/execute/command.ts";
import { metadataId } from "../../src/secrets/metadata-id.ts";
import { oidcDefaults } from "../cases/stored.ts";
import { givenOrganization, givenProject, givenUser, type TestServer } from "../harness/server.ts";

/** The ids that a request may hold. */
export type RequestIds = {
  readonly [kind in
    | "project"
    | "app"
    | "key"
    | "user"
    | "token"
    | "role"
    | "grant"
    | ("group" | "grantedOrg")
    | "idp"
    | "action"
    | "organization"
    | "instead"]?: string | undefined;
};

/** Where what an accepted call acts on lies: ids, and which of the world's providers it is like. */
export interface Place {
  /** Of what is written. */
  readonly organization: string;
  /** Of the call. */
  readonly target: string;
  readonly project: string;
  readonly isServing: boolean;
}

/** The server, and how persons are made on it. */
export interface Maker {
  readonly server: TestServer;
  givenPerson(organization: string): Promise<{ readonly userId: string }>;
}

/** Makes something that no other call has to do with, and answers its ids. */
export type Given = (maker: Maker, place: Place) => Promise<RequestIds>;

export const aUser: Given = ({ server }, { organization }) => member(server, organization);

export const aUserWithSecret: Given = async ({ server }, { organization }) => {
  const ids = await member(server, organization);
  const payload = { clientSecretHash: "00" };
  await record(server, { noun: user, id: ids.user }, [
    { type: "user.machine.secret.set", payload },
  ]);
  return ids;
};

/** A user with a key, which is given. */
export const aUserWithKey: Given = async ({ server }, { organization }) => {
  const ids = { ...(await member(server, organization)), key: v7() };
  const payload = { keyId: ids.key, publicKey: { kty: "RSA", n: "n", e: "AQAB" } } as const;
  await record(server, { noun: user, id: ids.user }, [{ type: "user.machine.key.added", payload }]);
  return ids;
};

/** A user with the key `plan`. */
export const aUserWithMetadata: Given = async ({ server }, { organization }) => {
  const ids = await member(server, organization);
  const { user: userId = "" } = ids;
  const id = metadataId(userId, "plan");
  const payload = { userId, key: "plan", value: "Z29sZA==" };
  await record(server, { noun: metadata, id, owner: organization }, [
    { type: "user.metadata.set", payload },
  ]);
  return ids;
};

export const anInactiveUser: Given = async ({ server }, { organization }) => {
  const ids = await member(server, organization);
  await record(server, { noun: user, id: ids.user }, [deactivated("user.deactivated")]);
  return ids;
};

export const aMemberOfAll: Given = ({ server }, { organization }) =>
  member(server, organization, { scope: { level: "instance" }, roles: ["IAM_OWNER_VIEWER"] });

export const aMemberOfOrganization: Given = ({ server }, { organization, target }) => {
  const scope = { level: "organization", organization: target } as const;
  return member(server, organization, { scope, roles: ["ORG_USER_MANAGER"] });
};

/** One who can lose a role and keep another. */
export const aMemberOfTwoRoles: Given = ({ server }, { organization, target }) => {
  const scope = { level: "organization", organization: target } as const;
  return member(server, organization, {
    scope,
    roles: ["ORG_USER_MANAGER", "ORG_SETTINGS_MANAGER"],
  });
};

export const aMemberOfProject: Given = ({ server }, { organization, target, project: held }) => {
  const scope = { level: "project", organization: target, project: held } as const;
  return member(server, organization, { scope, roles: ["PROJECT_OWNER"] });
};

export const aPerson: Given = async ({ givenPerson }, { organization }) => ({
  user: (await givenPerson(organization)).userId,
});

/** A person who has yet to take the account over. */
export const anInvitedPerson: Given = async ({ server, givenPerson }, { organization }) => {
  const { userId: id } = await givenPerson(organization);
  const payload = { code: "sealed", expirationMs: 1 };
  const type = "user.human.initialization.code.added";
  return { user: await record(server, { noun: user, id }, [{ type, payload }]) };
};

/** A person whom wrong passwords have locked, for longer than the tests run. */
export const aLockedPerson: Given = async ({ server, givenPerson }, { organization }) => {
  const { userId: id } = await givenPerson(organization);
  const payload = { untilMs: Date.now() + 3_600_000 };
  return {
    user: await record(server, { noun: user, id }, [{ type: "user.human.locked", payload }]),
  };
};

/** A person with a passkey, an authenticator app and a session, all with the id `token`. */
export const aPersonWithAll: Given = async ({ server, givenPerson }, { organization }) => {
  const { userId: id } = await givenPerson(organization);
  const token = v7();
  const passkey = { publicKey: "", counter: 0, transports: [], name: "", codeId: v7() };
  const session = { clientId: v7(), factors: ["password"], browser: "" } as const;
  const events: readonly UserEvent[] = [
    { type: "user.human.email.verified", payload: {} },
    { type: "user.human.password.changed", payload: { passwordHash: "" } },
    { type: "user.human.otp.added", payload: { secret: "" } },
    {
      type: "user.human.passwordless.token.added",
      payload: { ...passkey, credentialId: token },
    },
    { type: "user.human.session.begun", payload: { ...session, sessionId: token } },
  ];
  return { user: await record(server, { noun: user, id }, events), token };
};

export const aProject: Given = async ({ server }, { organization }) => ({
  project: await givenProject(server, organization),
});

export const anInactiveProject: Given = async ({ server }, { organization }) => ({
  project: await record(server, { noun: project, id: v7(), owner: organization }, [
    ...setUpProject(v7()),
    deactivated("project.deactivated"),
  ]),
});

/** The organization of the call, deactivated. */
export const anInactiveOrg: Given = async ({ server }, { target: id }) => ({
  organization: await record(server, { noun: org, id }, [deactivated("org.deactivated")]),
});

/** An organization that the call acts on instead. */
export const anOrg: Given = async ({ server }) => ({ instead: await givenOrganization(server) });

/** The organization of the call, in use again. */
export const toActive: Given = async ({ server }, { target: id }) => ({
  organization: await record(server, { noun: org, id }, [{ type: "org.reactivated", payload: {} }]),
});

export const anOIDCApp: Given = async ({ server }, { organization, project: id }) => ({
  app: await givenApp(server, organization, oidcApp(id)),
});

export const anInactiveApp: Given = async ({ server }, { organization, project: id }) => {
  const events = [...oidcApp(id), deactivated("project.application.deactivated")];
  return { app: await givenApp(server, organization, events) };
};

export const anAPIApp: Given = async ({ server }, { organization, project: id }) => ({
  app: await givenApp(server, organization, apiApp(id)),
});

export const aSAMLApp: Given = async ({ server }, { organization, project: projectId }) => ({
  app: await givenApp(server, organization, [
    { type: "project.application.added", payload: { projectId, name: v7() } },
    {
      type: "project.application.config.saml.added",
      payload: { entityId: v7(), metadataXml: "<a/>" },
    },
  ]),
});

/** An application whose client has a key, which is given. */
export const anAppWithKey: Given = async ({ server }, { organization, project: id }) => {
  const key = v7();
  return { app: await givenApp(server, organization, appWithKey(id, key)), key };
};

export const anAction: Given = async ({ server }, { organization }) => ({
  action: await givenAction(server, organization),
});

export const anInactiveAction: Given = async ({ server }, { organization }) => ({
  action: await givenAction(server, organization, [deactivated("action.deactivated")]),
});

/** A user with these roles, and its token. */
export async function member(
  server: TestServer,
  organization: string,
  ...held: readonly Membership[]
) {
  const { userId, tokenId } = await givenUser(server, organization, held);
  return { user: userId, token: tokenId };
}

/** An application of the project, made without a call. */
export function givenApp(
  server: TestServer,
  owner: string,
  events: readonly AppEvent[],
): Promise<string> {
  return record(server, { noun: app, id: v7(), owner }, events);
}

/** The redirect URI of an OIDC application that is given. */
export const oidcRedirectUri = "https://shop.example.com/callback";

/** An OIDC application whose clients have a secret. */
function oidcApp(projectId: string): readonly AppEvent[] {
  const client = { clientId: v7(), clientSecretHash: "00" };
  const settings = { ...oidcDefaults, redirectUris: [oidcRedirectUri] };
  return [
    { type: "project.application.added", payload: { projectId, name: v7() } },
    { type: "project.application.config.oidc.added", payload: { ...client, ...settings } },
  ];
}

/** An application of the project whose client has a key. */
export function appWithKey(projectId: string, keyId: string): readonly AppEvent[] {
  const publicKey = { kty: "RSA", n: "n", e: "AQAB" } as const;
  const client = { clientId: v7(), authMethod: "PRIVATE_KEY_JWT" } as const;
  return [
    { type: "project.application.added", payload: { projectId, name: v7() } },
    { type: "project.application.config.api.added", payload: client },
    { type: "project.application.key.added", payload: { keyId, publicKey } },
  ];
}

function apiApp(projectId: string): readonly AppEvent[] {
  const client = { clientId: v7(), clientSecretHash: "00", authMethod: "BASIC" } as const;
  return [
    { type: "project.application.added", payload: { projectId, name: v7() } },
    { type: "project.application.config.api.added", payload: client },
  ];
}

/** An action of the organization, made without a call. */
export function givenAction(
  server: TestServer,
  owner: string,
  more: readonly ActionEvent[] = [],
): Promise<string> {
  const id = v7();
  const payload = { name: id, script: "1", timeoutNanos: 1, allowedToFail: false };
  return record(server, { noun: action, id, owner }, [{ type: "action.added", payload }, ...more]);
}

/** An event that takes something out of use, or brings it back. */
export function deactivated<Type extends string>(type: Type) {
  return { type, payload: {} };
}

/** Writes events to a stream, and answers its id. */
export async function record<State, Event extends NewEvent>(
  { execute }: TestServer,
  stream: StreamRef<State, Event> & { readonly id: string },
  events: readonly Event[],
): Promise<string> {
  const { kind } = await execute({
    actor: "test",
    writes: { stream },
    relies: {},
    decide: () => ({ events: { stream: events } }),
  });
  if (kind !== "done") throw new Error(`what a call was to act on was not accepted: ${kind}`);
  return stream.id;
}
