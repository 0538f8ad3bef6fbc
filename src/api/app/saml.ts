import type { HandlerContext } from "@connectrpc/connect";
import type { UpdateSAMLAppConfigRequest } from "../../../gen/iam/management/v1/app_config_pb.js";
import type { AddSAMLAppRequest } from "../../../gen/iam/management/v1/app_pb.js";
import { app, type SAMLConfig } from "../../domain/app/app.ts";
import { checkSAMLUpdate, configureApp } from "../../domain/app/change.ts";
import { addSAMLApp, type NamedAppFrame, refuseNewApp } from "../../domain/app/create.ts";
import { accept, type Rejection, rejectionOfFields } from "../../domain/decision.ts";
import { project } from "../../domain/project.ts";
import type { Outcome } from "../../execute/command.ts";
import { FetchFailed } from "../../fetch/failed.ts";
import { actorOf, callOf, Refused, refuse } from "../call.ts";
import { createdDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { perform, requireDone, type Service } from "../service.ts";
import { changeOfApps, commandOn } from "./change.ts";

/** The handlers that create SAML applications and replace their metadata. */
export function samlAppHandlers(service: Service) {
  const { execute, newId } = service;
  const change = changeOfApps(service);
  const readGiven = readerOf(service);
  return {
    async addSAMLApp({ projectId, name, metadata }, context) {
      const { organization } = callOf(context);
      const frame: NamedAppFrame = { organization, projectId, name };
      const relies = { project: { noun: project, id: projectId } };
      const config = await readGiven(metadata, context, () =>
        execute({
          ...{ ...actorOf(context), writes: {}, relies },
          decide: (states) => refuseNewApp(states, frame) ?? accept({}),
        }),
      );
      const appId = newId();
      return await perform(service, context, {
        writes: { app: { noun: app, id: appId, owner: organization, isNew: true } },
        relies,
        decide: (states) => addSAMLApp(states, frame, config),
        answer: (written) => ({
          appId,
          details: createdDetails(written),
          entityId: config.entityId,
        }),
      });
    },

    async updateSAMLAppConfig({ projectId, appId, metadata }, context) {
      const ids = { projectId, appId };
      const frame = { organization: callOf(context).organization, projectId };
      const config = await readGiven(metadata, context, () =>
        execute({
          ...{ ...actorOf(context), ...commandOn(ids) },
          decide: (states) => checkSAMLUpdate(states, frame),
        }),
      );
      return await change(ids, context, (states) => configureApp(states, frame, "saml", config));
    },
  } satisfies Handlers;
}

/**
 * Makes what reads the metadata that a request gives. A document at a URL is fetched unless the
 * request is refused whatever that says, which is asked first.
 */
function readerOf({ fetch }: Pick<Service, "fetch">) {
  return async (
    metadata: AddSAMLAppRequest["metadata"] | UpdateSAMLAppConfigRequest["metadata"],
    context: HandlerContext,
    ask: () => Promise<Outcome<unknown>>,
  ): Promise<SAMLConfig> => {
    if (metadata.case !== "metadataUrl") {
      return await readConfig(metadata.value ?? new Uint8Array());
    }
    requireDone(await ask());
    const { value: metadataUrl } = metadata;
    return { ...(await readConfig(await fetchMetadata(metadataUrl, context))), metadataUrl };
  };

  async function fetchMetadata(url: string, context: HandlerContext): Promise<Uint8Array> {
    const { organization } = callOf(context);
    try {
      return await fetch(url, { organization, signal: context.signal });
    } catch (error) {
      if (!(error instanceof FetchFailed)) throw error;
      throw new Refused(rejectionOf(error));
    }
  }
}

/** A text that is no URL is wrong in itself; everything else may be otherwise another time. */
function rejectionOf({ reason, message }: FetchFailed): Rejection {
  return reason === "URL_INVALID"
    ? rejectionOfFields([{ field: "metadata_url", description: message }])
    : { reason: "METADATA_NOT_FETCHED", message };
}

async function readConfig(xml: Uint8Array): Promise<SAMLConfig> {
  const { readMetadata } = await import("../../saml/metadata.ts");
  const reading = await readMetadata(xml);
  if (reading.kind === "refused") refuse("METADATA_INVALID", reading.problem);
  // The reader has made sure that it is UTF-8. A byte order mark is part of what was handed in.
  const metadataXml = new TextDecoder("utf-8", { ignoreBOM: true }).decode(xml);
  return { entityId: reading.entityId, metadataXml };
}
