import type { Interaction, KoaContextWithOIDC, Provider } from "oidc-provider";
import { endSession } from "../domain/user/login.ts";
import { user } from "../domain/user/user.ts";
import { isHashOf } from "../secrets/tokens.ts";
import { configurationOf } from "./configuration.ts";
import { createEnvelope, type Envelope } from "./envelope.ts";
import { envelop } from "./enveloping.ts";
import { type Keys, readKeys } from "./keys.ts";
import type { ProviderParts } from "./parts.ts";
import { createReuse } from "./reuse.ts";
import type { Shown } from "./shown.ts";

/** Milliseconds after which it is looked whether there are other keys to sign with. */
const keysMs = 60_000;

/** The provider as it is now: loaded when it is first asked for, and made anew for new keys. */
export type FindProvider = () => Promise<Now>;

/** The provider with the keys that it has now. */
export interface Now {
  readonly provider: Provider;
  readonly keys: Keys;
  readonly envelope: Envelope;
  /** Answers a request that the library is for. */
  readonly answer: ReturnType<Provider["callback"]>;
}

/** Somebody's login, as the library keeps it. */
export type Login = InstanceType<Provider["Interaction"]> & Interaction;

/** Makes the function that finds the provider. */
export function createFindProvider(parts: ProviderParts, shown: Shown): FindProvider {
  let made: Now | undefined;
  let making: Promise<Now> | undefined;
  let lookedMs = Number.NEGATIVE_INFINITY;

  async function make(): Promise<Now> {
    const [library, keys] = await Promise.all([import("oidc-provider"), readKeys(parts)]);
    if (made?.keys.version !== keys.version) {
      const envelope = createEnvelope(keys, parts.publicUrl());
      const provider = build(parts, library, { keys, shown, envelope });
      made = { keys, envelope, provider, answer: provider.callback() };
    }
    lookedMs = parts.now();
    return made;
  }

  return async () => {
    if (made !== undefined && Math.abs(parts.now() - lookedMs) < keysMs) return made;
    making ??= make().finally(() => {
      making = undefined;
    });
    return await making;
  };
}

type Library = typeof import("oidc-provider");

function build(
  parts: ProviderParts,
  library: Library,
  { keys, shown, envelope }: Pick<Now, "keys" | "envelope"> & { readonly shown: Shown },
): Provider {
  const { Provider } = library;
  const request = {
    ...createReuse(parts, library),
    hasAuthorization: () => Provider.ctx?.headers.authorization !== undefined,
  };
  const policy = policyOf(library);
  const configuration = configurationOf(parts, { keys, request, shown, policy });
  const provider = new Provider(parts.publicUrl(), configuration);
  // What says where it is reached is set before it is called: see `routes.ts`.
  provider.proxy = true;
  const { AccessToken, Client, ClientCredentials, Session } = provider;
  for (const model of [AccessToken, ClientCredentials]) envelop(model, envelope);
  // What is kept is the hash of the secret, so what is shown is hashed.
  Client.prototype.compareClientSecret = async function compare(shownSecret) {
    return isHashOf(this.clientSecret ?? "", shownSecret);
  };
  // Which URIs an application may have was judged when it was created: what is merely reported
  // then does not keep anybody out now. That one of them is asked for is checked all the same.
  const schema: { readonly prototype: object } = Reflect.get(Client, "Schema");
  Object.assign(schema.prototype, { redirectUris: () => {} });
  const destroy = Session.prototype.destroy;
  Session.prototype.destroy = async function end() {
    await recordEnd(parts, this);
    await destroy.call(this);
  };
  provider.use(askForConsent);
  provider.on("server_error", (_ctx, err) =>
    parts.log.error({ err }, "the OpenID provider failed"),
  );
  return provider;
}

/** The prompts of the standard, and the choice of an account, which is the page that goes on. */
function policyOf({ interactionPolicy: { base, Prompt } }: Library) {
  const policy = base();
  policy.add(new Prompt({ name: "select_account", requestable: true }), 1);
  return policy;
}

async function recordEnd(
  parts: ProviderParts,
  { accountId, uid: sessionId }: { readonly accountId?: string | undefined; readonly uid: string },
): Promise<void> {
  if (accountId === undefined) return;
  await parts.execute({
    actor: accountId,
    writes: { user: { noun: user, id: accountId } },
    decide: (states) => endSession(states.user, { sessionId }),
  });
}

/**
 * Has whoever wants to act in a person's absence ask the person each time (OIDC Core 1.0, 11):
 * many applications that want it say so by the scope alone.
 */
async function askForConsent(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  const { scope, prompt } = ctx.query;
  const isOffline = typeof scope === "string" && scope.split(" ").includes("offline_access");
  if (ctx.method === "GET" && isOffline && prompt === undefined) {
    ctx.query = { ...ctx.query, prompt: "consent" };
  }
  await next();
}
