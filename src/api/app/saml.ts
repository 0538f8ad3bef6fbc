import type { HandlerContext } from "@connectrpc/connect";
import { app, type SAMLConfig } from "../../domain/app/app.ts";
import { addSAMLApp, type NamedAppFrame, refuseSAMLApp } from "../../domain/app/create.ts";
import { accept, type Rejection, rejectionOfFields } from "../../domain/decision.ts";
import { project } from "../../domain/project.ts";
import { FetchFailed } from "../../fetch/failed.ts";
import { readMetadata } from "../../saml/metadata.ts";
import { actorOf, callOf, Refused, refuse } from "../call.ts";
import { createdDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { requireAnswer, requireDone, type Service } from "../service.ts";

/** The handlers on SAML applications. */
export function samlAppHandlers({ execute, newId, fetch }: Service) {
  return {
    async addSAMLApp({ projectId, name, metadata }, context) {
      const { organization } = callOf(context);
      const frame: NamedAppFrame = { organization, projectId, name };
      const config =
        metadata.case === "metadataUrl"
          ? await fetchConfig(metadata.value, frame, context)
          : await readConfig(metadata.value ?? new Uint8Array());
      const appId = newId();
      const outcome = await execute({
        ...actorOf(context),
        writes: { app: { noun: app, id: appId, owner: organization, isNew: true } },
        relies: { project: { noun: project, id: projectId } },
        decide: (states) => addSAMLApp(states, frame, config),
        answer: (written) => ({
          appId,
          details: createdDetails(written),
          entityId: config.entityId,
        }),
      });
      return requireAnswer(outcome);
    },
  } satisfies Handlers;

  /** Fetches the metadata, unless the application is refused whatever the document says. */
  async function fetchConfig(
    url: string,
    frame: NamedAppFrame,
    context: HandlerContext,
  ): Promise<SAMLConfig> {
    const outcome = await execute({
      ...actorOf(context),
      writes: {},
      relies: { project: { noun: project, id: frame.projectId } },
      decide: (states) => refuseSAMLApp(states, frame) ?? accept({}),
    });
    requireDone(outcome);
    return { ...(await readConfig(await fetchMetadata(url, context))), metadataUrl: url };
  }

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
  const reading = await readMetadata(xml);
  if (reading.kind === "refused") refuse("METADATA_INVALID", reading.problem);
  // The reader has made sure that it is UTF-8. A byte order mark is part of what was handed in.
  const metadataXml = new TextDecoder("utf-8", { ignoreBOM: true }).decode(xml);
  return { entityId: reading.entityId, metadataXml };
}
