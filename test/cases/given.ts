import { type JsonValue, toJson } from "@bufbuild/protobuf";
import { TimestampSchema, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { v7 } from "uuid";
import { type ActionEvent, type ActionInput, action } from "../../src/domain/action.ts";
import { type AppEvent, app } from "../../src/domain/app/app.ts";
import type { Noun } from "../../src/domain/noun.ts";
import { type ProjectInput, project } from "../../src/domain/project.ts";
import type { NewEvent, RecordedEvent } from "../../src/event.ts";
import { createExecute } from "../../src/execute/execute.ts";
import type { ClientName } from "../harness/clients.ts";
import type { TestServer } from "../harness/server.ts";
import { oidcDefaults } from "./stored.ts";

/** Objects that are there already, made a minute ago: times of changes can be told apart. */

/** A log in which what is recorded may be of any time, where there is one without a clock. */
type Recorder = Pick<TestServer, "store"> & Partial<Pick<TestServer, "log">>;

/** Records the events of a new object, or further ones of an object that is there. */
export async function recorded<State, Event extends NewEvent>(
  { store, log = store }: Recorder,
  noun: Noun<State, Event>,
  owner: string,
  events: readonly Event[],
  id = v7(),
): Promise<string> {
  const known: Noun<unknown, NewEvent> = noun as Noun<unknown, NewEvent>;
  const execute = createExecute(log, () => Date.now() - 60_000);
  const outcome = await execute({
    actor: "test",
    writes: { object: { noun: known, id, owner } },
    relies: {},
    decide: () => ({ events: { object: events } }),
  });
  if (outcome.kind !== "done") throw new Error(`a given was not accepted: ${outcome.kind}`);
  return id;
}

export function givenProjectOf(
  server: Recorder,
  owner: string,
  { name = v7(), ...given }: Partial<ProjectInput> = {},
): Promise<string> {
  const input = {
    ...{ projectRoleAssertion: false, projectRoleCheck: false, hasProjectCheck: false },
    privateLabelingSetting: "UNSPECIFIED",
  } as const;
  const payload = { ...input, ...given, name };
  return recorded(server, project, owner, [{ type: "project.added", payload }]);
}

export function givenActionOf(
  server: Recorder,
  owner: string,
  { name = v7(), ...given }: Partial<ActionInput> = {},
  ...then: readonly ActionEvent[]
): Promise<string> {
  const payload = { script: "1", timeoutNanos: 1e10, allowedToFail: false, ...given, name };
  return recorded(server, action, owner, [{ type: "action.added", payload }, ...then]);
}

/** The settings of an application with the events that record them. */
export type AppSettings = Exclude<AppEvent, { readonly type: "project.application.added" }>;

export function givenAppOf(
  server: Recorder,
  owner: string,
  { projectId, name = v7() }: { readonly projectId: string; readonly name?: string },
  ...settings: readonly AppSettings[]
): Promise<string> {
  const added: AppEvent = { type: "project.application.added", payload: { projectId, name } };
  return recorded(server, app, owner, [added, ...settings]);
}

type APIConfig = Extract<
  AppEvent,
  { readonly type: "project.application.config.api.added" }
>["payload"];
type OIDCConfig = Extract<
  AppEvent,
  { readonly type: "project.application.config.oidc.added" }
>["payload"];

export function apiConfig(given: Partial<APIConfig> = {}): AppSettings {
  const payload = { clientId: v7(), authMethod: "BASIC" as const, clientSecretHash: v7() };
  return { type: "project.application.config.api.added", payload: { ...payload, ...given } };
}

export function oidcConfig(given: Partial<OIDCConfig> = {}): AppSettings {
  const payload = { ...oidcDefaults, clientId: v7(), clientSecretHash: v7(), ...given };
  return { type: "project.application.config.oidc.added", payload };
}

export function samlConfig(entityId: string, metadataXml = "<a/>", metadataUrl?: string) {
  const payload = { entityId, metadataXml, ...(metadataUrl ? { metadataUrl } : {}) };
  return { type: "project.application.config.saml.added", payload } as const;
}

export async function eventsOf(
  { store }: Pick<TestServer, "store">,
  stream: string,
): Promise<readonly RecordedEvent[]> {
  return store.readStream(stream, 0, 1_000);
}

/** The details of an object that these events are all of, as JSON. */
export function detailsJson(events: readonly RecordedEvent[]) {
  const last = events.at(-1)!;
  return {
    sequence: String(last.position),
    creationDate: timeJson(events[0]!.timeMs),
    changeDate: timeJson(last.timeMs),
    resourceOwner: last.owner,
  };
}

export function timeJson(ms: number): JsonValue {
  return toJson(TimestampSchema, timestampFromMs(ms));
}

/** For rows whose outcome is decided behind the protocols, and whose request has an id. */
export const someClients: {
  readonly clients: readonly ClientName[];
  readonly because: string;
} = {
  clients: ["connect-json", "grpc-js", "rest"],
  because: "what is found is the same for all; these differ in how they carry an id",
};

/** For rows that need many objects. */
export const oneClient: typeof someClients = {
  clients: ["grpc"],
  because: "the objects that it needs take time",
};
