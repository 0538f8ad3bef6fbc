import type { HandlerContext } from "@connectrpc/connect";
import type { Options } from "../../../gen/iam/idp/v1/provider_pb.js";
import { type Settings, updateIDP } from "../../domain/idp-change.ts";
import type { Template } from "../../domain/idp-config.ts";
import { optionsOf } from "../../domain/idp-sign-in.ts";
import { callOf } from "../call.ts";
import type { Masked } from "../changing.ts";
import { countInDay } from "../count.ts";
import type { AdminHandlers, ManagementHandlers } from "../handlers.ts";
import { confirmCaller, type Service } from "../service.ts";
import { type Asked, type Level, providerCalls, providerReads } from "./calls.ts";
import {
  azureAD,
  type Form,
  genericOIDC,
  gitHub,
  google,
  jwt,
  readOptions,
  showOptions,
} from "./forms.ts";
import { showProvider } from "./show.ts";

/** The bounds on trials, each of which takes a place among the logins that are begun. */
export const trialLimits = {
  /** Trials of one organization in a day. */
  trialsPerDay: 500,
} as const;

const trials = { name: "trials", usesMax: trialLimits.trialsPerDay };
const tooMany = { reason: "TOO_MANY_CALLS", done: "Identity providers were tried" } as const;

/** The fields that requests of every template have. */
interface Common {
  readonly name: string;
  readonly clientSecret?: string;
  readonly providerOptions?: Options | undefined;
}

interface WithId {
  readonly id: string;
}

/** The handlers on providers with a template and options, at one level. */
export function templateHandlers(service: Service, level: Level) {
  const calls = providerCalls(service, level);
  const reads = providerReads(service, level);

  const add =
    <Given>({ template, initial, read }: Form<Given>) =>
    (request: Given & Common, context: HandlerContext) =>
      calls.add(context, {
        config: newConfig(template, request),
        template,
        settings: { ...initial, ...read(request) } as Settings,
        ...(request.clientSecret === undefined ? {} : { clientSecret: request.clientSecret }),
      });

  const update =
    <Given>({ template, read, show }: Form<Given>) =>
    (request: Given & Common & Masked & WithId, context: HandlerContext) =>
      calls.update(request, context, request.id, {
        show: (state) =>
          state.template === template
            ? {
                ...show(state).value,
                ...{ name: state.name, providerOptions: showOptions(optionsOf(state)) },
              }
            : undefined,
        read: (whole) => ({
          config: { name: whole.name, options: readOptions(whole.providerOptions) },
          settings: read(whole),
        }),
        decide: (states, reach, change) => updateIDP(states, reach, change, template),
      });

  return {
    addGenericOIDCProvider: add(genericOIDC),
    updateGenericOIDCProvider: update(genericOIDC),
    addJWTProvider: add(jwt),
    updateJWTProvider: update(jwt),
    addGoogleProvider: add(google),
    updateGoogleProvider: update(google),
    addGitHubProvider: add(gitHub),
    updateGitHubProvider: update(gitHub),
    addAzureADProvider: add(azureAD),
    updateAzureADProvider: update(azureAD),
    deleteProvider: ({ id }: WithId, context: HandlerContext) => calls.remove(id, context),

    async testIDP({ idpId }: { readonly idpId: string }, context: HandlerContext) {
      const { id, state } = await reads.find(idpId, context);
      // What asks others comes after the caller was looked at once more.
      await confirmCaller(service, context);
      await countInDay(service, callOf(context).organization, [trials], tooMany);
      const { steps, loginUrl } = await service.tryProvider({ id, state });
      return { steps: [...steps], loginUrl };
    },

    async getProviderByID({ id }: WithId, context: HandlerContext) {
      return { idp: showProvider(await reads.find(id, context)) };
    },

    async listProviders(request: Asked, context: HandlerContext) {
      const { details, found } = await reads.list(context, request);
      return { details, result: found.map(showProvider) };
    },
  } satisfies AdminHandlers & ManagementHandlers;
}

function newConfig(template: Template, { name, providerOptions }: Common) {
  const options = readOptions(providerOptions);
  const stylingType = template === "GOOGLE" ? ("GOOGLE" as const) : ("UNSPECIFIED" as const);
  return { name, stylingType, autoRegister: options.isAutoCreation, options };
}
