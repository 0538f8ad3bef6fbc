import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type {
  AddSAMLAppRequest,
  AddSAMLAppResponseSchema,
} from "../../../gen/iam/management/v1/app_pb.js";
import { app, type SAMLConfig } from "../../domain/app/app.ts";
import { type AppPlace, addSAMLApp, samlAppRefusal } from "../../domain/app/create.ts";
import { accept, invalidFields, type Rejection } from "../../domain/decision.ts";
import { project } from "../../domain/project.ts";
import { FetchFailed } from "../../fetch/failed.ts";
import { readMetadata } from "../../saml/metadata.ts";
import { actorOf, callOf, Refused } from "../call.ts";
import { createdDetails } from "../details.ts";
import { type Service, written } from "../service.ts";

/** The handlers on SAML applications. */
export function samlAppHandlers({ execute, newId, fetch }: Service) {
  return {
    async addSAMLApp(
      { projectId, name, metadata }: AddSAMLAppRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof AddSAMLAppResponseSchema>> {
      const { organization } = callOf(context);
      const place: AppPlace = { organization, projectId, name };
      const config =
        metadata.case === "metadataUrl"
          ? await fetchedConfig(metadata.value, place, context)
          : configOf(metadata.value ?? new Uint8Array());
      const appId = newId();
      const outcome = await execute({
        ...actorOf(context),
        writes: { app: { noun: app, id: appId, owner: organization } },
        relies: { project: { noun: project, id: projectId } },
        decide: (states) => addSAMLApp(states, place, config),
      });
      return { appId, details: createdDetails(written(outcome)), entityId: config.entityId };
    },
  };

  /** What would be refused whatever the document says does not make the service call anybody. */
  async function fetchedConfig(
    url: string,
    place: AppPlace,
    context: HandlerContext,
  ): Promise<SAMLConfig> {
    const outcome = await execute({
      ...actorOf(context),
      writes: {},
      relies: { project: { noun: project, id: place.projectId } },
      decide: (states) => samlAppRefusal(states, place) ?? accept({}),
    });
    if (outcome.kind === "rejected") throw new Refused(outcome.rejection);
    return { ...configOf(await fetched(url, context.signal)), metadataUrl: url };
  }

  async function fetched(url: string, signal: AbortSignal): Promise<Uint8Array> {
    try {
      return (await fetch(url, { signal })).body;
    } catch (error) {
      if (!(error instanceof FetchFailed)) throw error;
      throw new Refused(rejectionOf(error));
    }
  }
}

/** A text that is no URL is wrong in itself; everything else may be otherwise another time. */
function rejectionOf({ reason, message }: FetchFailed): Rejection {
  return reason === "URL_INVALID" || reason === "SCHEME_NOT_ALLOWED"
    ? invalidFields([{ field: "metadata_url", description: message }])
    : { reason: "METADATA_NOT_FETCHED", message };
}

function configOf(xml: Uint8Array): SAMLConfig {
  const reading = readMetadata(xml);
  if (reading.kind === "refused") {
    throw new Refused({ reason: "METADATA_INVALID", message: reading.problem });
  }
  // The reader has made sure that it is UTF-8. A byte order mark is part of what was handed in.
  const metadataXml = new TextDecoder("utf-8", { ignoreBOM: true }).decode(xml);
  return { entityId: reading.metadata.entityId, metadataXml };
}
