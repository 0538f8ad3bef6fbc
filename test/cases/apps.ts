import type { MessageInitShape } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { v7 } from "uuid";
import type {
  AddAPIAppRequestSchema,
  AddAPIAppResponse,
  AddOIDCAppRequestSchema,
  AddOIDCAppResponse,
} from "../../gen/iam/management/v1/app_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { app, type OIDCSettings } from "../../src/domain/app/app.ts";
import type { RecordedEvent } from "../../src/event.ts";
import { type Case, type Expected, row, type World } from "../harness/cases.ts";
import type { TestServer } from "../harness/server.ts";
import { detailsOf, fact, oidcDefaults, sha256 } from "./stored.ts";

/** Rows for applications that read as tables: what is given, and what is stored of it. */

const { addAPIApp, addOIDCApp } = ManagementService.method;

export type GivenOIDC = MessageInitShape<typeof AddOIDCAppRequestSchema>;
export type GivenAPI = MessageInitShape<typeof AddAPIAppRequestSchema>;

/** An OIDC application that is created; of its settings only those that are not the default. */
export function oidcStored(
  name: string,
  given: GivenOIDC,
  stored: Partial<OIDCSettings>,
  more: (message: AddOIDCAppResponse) => void = () => {},
  only?: Case["only"],
): Case {
  return row(
    name,
    addOIDCApp,
    (world) => ({
      request: { projectId: world.project, name: world.unique, ...given },
      expected: {
        ok(message, events) {
          const settings = { ...oidcDefaults, ...stored };
          const names = { name: world.unique, ...given };
          const type = "project.application.config.oidc.added";
          expectCreated(world, names, message, events, { type, settings });
          more(message);
        },
      },
    }),
    only,
  );
}

export function oidcRefused(
  name: string,
  given: GivenOIDC,
  fields: readonly string[],
  only?: Case["only"],
): Case {
  return row(
    name,
    addOIDCApp,
    ({ project, unique }) => ({
      request: { projectId: project, name: unique, ...given },
      expected: { code: 3, reason: "INVALID_FIELDS", fields },
    }),
    only,
  );
}

export function apiStored(name: string, given: GivenAPI, authMethod = "BASIC"): Case {
  return row(name, addAPIApp, (world) => ({
    request: { projectId: world.project, name: world.unique, ...given },
    expected: {
      ok(message, events) {
        const names = { name: world.unique, ...given };
        const type = "project.application.config.api.added";
        expectCreated(world, names, message, events, { type, settings: { authMethod } });
      },
    },
  }));
}

export function apiRefused(name: string, given: GivenAPI, fields: readonly string[]): Case {
  return row(name, addAPIApp, ({ project, unique }) => ({
    request: { projectId: project, name: unique, ...given },
    expected: { code: 3, reason: "INVALID_FIELDS", fields },
  }));
}

/** What is given and expected of both kinds of application alike. */
interface EitherApp {
  readonly request: { readonly projectId: string; readonly name: string };
  readonly token?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly expected:
    | {
        ok(message: AddAPIAppResponse | AddOIDCAppResponse, events: readonly RecordedEvent[]): void;
      }
    | Exclude<Expected, { ok: unknown }>;
}

/** A row for each kind, for the rules that hold for both. */
export function eitherApp(
  name: string,
  given: (world: World) => EitherApp | Promise<EitherApp>,
  only?: Case["only"],
): readonly Case[] {
  return [
    row(`AddOIDCApp ${name}`, addOIDCApp, given, only),
    row(`AddAPIApp ${name}`, addAPIApp, given, only),
  ];
}

/** The log holds the two events of the application, whole; the answer tells what is in them. */
function expectCreated(
  { server: { admin }, project }: World,
  { name, projectId = project }: { readonly name?: string; readonly projectId?: string },
  message: Pick<AddOIDCAppResponse, "appId" | "clientId" | "clientSecret" | "details">,
  events: readonly RecordedEvent[],
  config: { readonly type: string; readonly settings: object },
): void {
  const { appId, clientId, clientSecret } = message;
  const stream = `app-${appId}`;
  const envelope = { stream, owner: admin.organization, actor: admin.userId };
  const hash = clientSecret === "" ? {} : { clientSecretHash: sha256(clientSecret) };
  const client = { clientId, ...hash };
  expect(events.map(fact)).toEqual([
    { ...envelope, version: 1, type: "project.application.added", payload: { projectId, name } },
    { ...envelope, version: 2, type: config.type, payload: { ...client, ...config.settings } },
  ]);
  expect(message.details).toMatchObject(detailsOf(events));
  expect(new Set([appId, clientId, projectId, ""]).size).toBe(4);
}

/** An application that is there already, made without a call. */
export async function givenApp(
  { execute }: TestServer,
  owner: string,
  projectId: string,
  name: string,
): Promise<void> {
  const id = v7();
  const outcome = await execute({
    actor: "test",
    writes: { app: { noun: app, id, owner } },
    relies: {},
    decide: () => ({
      events: {
        app: [
          { type: "project.application.added" as const, payload: { projectId, name } },
          {
            type: "project.application.config.api.added" as const,
            payload: { clientId: v7(), authMethod: "PRIVATE_KEY_JWT" as const },
          },
        ],
      },
    }),
  });
  expect(outcome.kind).toBe("done");
}
