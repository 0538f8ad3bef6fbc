import type { MessageInitShape } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import type {
  AddSAMLAppRequestSchema,
  AddSAMLAppResponse,
} from "../../gen/iam/management/v1/app_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { SAMLConfig } from "../../src/domain/app/app.ts";
import type { RecordedEvent } from "../../src/event.ts";
import { type Case, row, type World } from "../harness/cases.ts";
import type { TestServer } from "../harness/server.ts";
import { bytes, entity } from "../saml/document.ts";
import { detailsOf, fact } from "./stored.ts";

/** Rows for SAML applications, and what each of them leaves in the log. */

const { addSAMLApp } = ManagementService.method;

export type GivenSAML = MessageInitShape<typeof AddSAMLAppRequestSchema>;
export type Metadata = NonNullable<GivenSAML["metadata"]>;

/** The smallest document with this entity ID. */
export function documentOf(entityId: string): string {
  return entity({ attributes: `entityID="${entityId}"` });
}

export function xml(document: string | Uint8Array): Metadata {
  const value = typeof document === "string" ? bytes(document) : document;
  return { case: "metadataXml", value: new Uint8Array(value) };
}

/** The log holds the two events of the application, whole; the answer tells what is in them. */
export function expectSAMLApp(
  { admin }: Pick<TestServer, "admin">,
  { projectId, name }: { readonly projectId: string; readonly name: string },
  message: Pick<AddSAMLAppResponse, "appId" | "details" | "entityId">,
  events: readonly RecordedEvent[],
  config: SAMLConfig,
): void {
  const stream = `app-${message.appId}`;
  const envelope = { stream, owner: admin.organization, actor: admin.userId };
  const type = "project.application.config.saml.added";
  expect(events.map(fact)).toEqual([
    { ...envelope, version: 1, type: "project.application.added", payload: { projectId, name } },
    { ...envelope, version: 2, type, payload: config },
  ]);
  expect(message.entityId).toBe(config.entityId);
  expect(message.details).toMatchObject(detailsOf(events));
}

/** A document that is taken, with an entity ID of its own, and stored as it is. */
export function samlStored(name: string, documentFor: (entityId: string) => string): Case {
  return row(name, addSAMLApp, ({ server, project, unique }) => {
    const document = documentFor(unique);
    return {
      request: { projectId: project, name: unique, metadata: xml(document) },
      expected: {
        ok(message, events) {
          const place = { projectId: project, name: unique };
          const config = { entityId: unique, metadataXml: document };
          expectSAMLApp(server, place, message, events, config);
        },
      },
    };
  });
}

/** Metadata that is refused, with the sentence that people read. */
export function metadataRefused(
  name: string,
  document: string | Uint8Array,
  message: string,
): Case {
  return row(name, addSAMLApp, ({ project, unique }: World) => ({
    request: { projectId: project, name: unique, metadata: xml(document) },
    expected: { code: 3, reason: "METADATA_INVALID", message },
  }));
}
