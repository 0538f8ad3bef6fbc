import type { AdapterPayload, Interaction, KoaContextWithOIDC, Provider } from "oidc-provider";
import { signingLimits } from "../../domain/signing.ts";
import { loginLimits } from "../../domain/user/state/login-limits.ts";
import { provenMs, sessionOf } from "../../domain/user/state/session.ts";
import { failureOf, httpStatusOf } from "../../gateway/call/errors.ts";
import { senderHeader } from "../base/locate.ts";
import type { ProviderParts } from "../base/parts.ts";
import { findLoginPolicy, goesOn, withPolicyOf } from "../base/policy.ts";
import { logFailures, noteRefusal, noteRefusals } from "../base/record.ts";
import { findUser } from "../base/rows.ts";
import { routes } from "../base/site.ts";
import { begunOf } from "../base/tries.ts";
import { isTimely } from "../token/assertion.ts";
import { createEnvelope } from "../token/envelope.ts";
import { readKeys } from "../token/keys.ts";
import type { FindProvider, Now } from "../token/now.ts";
import { unbindLogin } from "./binding.ts";
import { configurationOf } from "./configuration.ts";
import { asksForLogin, isUnanswered, paced, tellInterval } from "./device.ts";
import { refuseOtherOrganization, registerMachineGrant } from "./machine-grant.ts";
import { patches, withOwn } from "./patches.ts";
import { createReuse } from "./reuse.ts";
import type { Screens } from "./screens.ts";
import { tellIssuer, tellResponseTypes } from "./standards.ts";
import { tellWhen, toldParts } from "./unavailable.ts";

/** The grant by which machines get tokens for their secret. */
const secretGrant = "client_credentials";

/** Milliseconds after which it is looked whether there are other keys to sign with. */
const keysMs = 60_000;

/** Somebody's login, as the library keeps it. */
export type Login = InstanceType<Provider["Interaction"]> & Interaction;

/** Makes the function that finds the provider. */
export function createFindProvider(parts: ProviderParts, screens: Screens): FindProvider {
  let made: Now | undefined;
  let making: Promise<Now> | undefined;
  let lookedMs = Number.NEGATIVE_INFINITY;
  /** When the keys were last read. */
  let readMs = Number.NEGATIVE_INFINITY;

  async function make(): Promise<Now> {
    const [library, keys] = await Promise.all([import("oidc-provider"), readKeys(parts)]);
    if (made?.keys.version !== keys.version) {
      const envelope = createEnvelope(keys, parts.publicUrl());
      const provider = build(parts, library, { keys, screens, envelope });
      made = { keys, envelope, provider, answer: provider.callback() };
    }
    made = { ...made, keys };
    lookedMs = readMs = parts.now();
    return made;
  }

  /** Keys that are known sign and verify until their time, and not for long where none are read. */
  function known(nowMs: number): Now | undefined {
    const isUnread = nowMs - readMs > signingLimits.unreadMs;
    return isUnread || nowMs >= (made?.keys.untilMs ?? 0) ? undefined : made;
  }

  return async () => {
    const nowMs = parts.now();
    const now = known(nowMs);
    if (now !== undefined && Math.abs(nowMs - lookedMs) < keysMs) return now;
    making ??= make()
      .catch((error: unknown) => {
        const now = known(parts.now());
        if (now === undefined || !isAway(error)) throw error;
        lookedMs = parts.now();
        return now;
      })
      .finally(() => {
        making = undefined;
      });
    return await making;
  };
}

/** Whether what was thrown says that it may go well later. */
function isAway(thrown: unknown): boolean {
  const refusal = failureOf(thrown);
  return refusal !== undefined && httpStatusOf(refusal) === 503;
}

type Library = typeof import("oidc-provider");

function build(
  given: ProviderParts,
  library: Library,
  { keys, screens, envelope }: Pick<Now, "keys" | "envelope"> & { readonly screens: Screens },
): Provider {
  const { Provider } = library;
  const parts = toldParts(given, library);
  const request = {
    ...createReuse(parts, library),
    findClient: (id: string) => provider.Client.find(id),
    params: () => Provider.ctx?.oidc?.params ?? {},
    refuseLong: (params: object) => {
      if (Buffer.byteLength(JSON.stringify(params)) <= loginLimits.begunBytes) return;
      const most = `${loginLimits.begunBytes} bytes`;
      throw new library.errors.InvalidRequest(`the parameters are longer than ${most} as JSON`);
    },
    begun: ({ params, state }: AdapterPayload) => {
      request.refuseLong(params ?? state ?? {});
      return begunOf(parts, Provider.ctx?.get(senderHeader) || undefined);
    },
    refuseAnswer: () => {
      throw new library.errors.ExpiredToken("somebody has answered the device already");
    },
    refuseBegun: () => {
      throw Object.assign(new library.errors.OIDCProviderError(429, "temporarily_unavailable"), {
        ...{
          error_description: "too many logins were begun from this address",
          allow_redirect: false,
        },
      });
    },
  };
  const policy = policyOf(parts, library);
  // What a grant leaves behind is written in one commit: see `Unit`.
  const around = async (work: () => Promise<void>, ctx: Pick<KoaContextWithOIDC, "oidc">) => {
    const { params } = ctx.oidc;
    if (params?.grant_type === secretGrant) refuseOtherOrganization(ctx.oidc, library.errors);
    await paced(() => parts.unit.hold(work), ctx, { parts, errors: library.errors });
  };
  const provider: Provider = new (withOwn(Provider, { ...screens, around }))(parts.publicUrl(), {
    ...configurationOf(parts, { keys, request, screens, policy }),
    assertJwtClientAuthClaimsAndHeader: (_ctx, { exp }, { crit, kid }) => {
      const { InvalidClientAuth } = library.errors;
      // As `readJws` does: the library knows one extension, and takes such an id for none.
      if (crit !== undefined) throw new InvalidClientAuth("it asks for an extension");
      if (kid !== undefined && typeof kid !== "string") {
        throw new InvalidClientAuth("kid must be a text");
      }
      if (isTimely(exp, parts.machineNow())) return;
      throw new InvalidClientAuth("the assertion has expired, or is valid for more than an hour");
    },
  });
  // What says where it is reached is set before it is called: see `locate.ts`.
  provider.proxy = true;
  const { errors } = library;
  const patched = { parts, keys, envelope, errors, current: () => Provider.ctx };
  for (const { apply } of patches) apply(provider, patched);
  provider.on("interaction.ended", (ctx) => unbindLogin(ctx, parts));
  registerMachineGrant(provider, parts, errors);
  tellIssuer(provider);
  tellInterval(provider);
  provider.use(tellResponseTypes);
  provider.use(showRefusals(screens, library));
  provider.use(holdLogins(parts));
  provider.use(askForConsent(provider));
  provider.use(showNobodyLogout(screens));
  noteRefusals(provider);
  logFailures(provider, parts.log);
  return provider;
}

/**
 * The prompts of the standard, the choice of an account, which is the page that goes on, the
 * creation of one (Initiating User Registration via OpenID Connect 1.0), and the question whether
 * to let a device in, which comes each time. Who may not be let in logs in as somebody else: the
 * library takes it that there is a grant.
 */
function policyOf(parts: ProviderParts, { interactionPolicy: { base, Check, Prompt } }: Library) {
  const policy = base();
  const isNobody = ({ oidc: { session, entities } }: KoaContextWithOIDC) =>
    session?.accountId !== undefined && entities.Grant?.jti === undefined;
  const why = {
    no_grant: "the person may not log in",
    policy: "the login has to be newer, or to show more, for example a second factor",
    device: "the person has to log in for the device",
  };
  const isOver = (ctx: KoaContextWithOIDC) => isOverByPolicy(parts, ctx);
  const again = { no_grant: isNobody, policy: isOver, device: asksForLogin };
  for (const reason of ["no_grant", "policy", "device"] as const) {
    const check = new Check(reason, why[reason], "login_required", again[reason]);
    policy.get("login")?.checks.add(check);
  }
  policy.add(new Prompt({ name: "select_account", requestable: true }), 1);
  const unanswered = "the person has not let the device in";
  const device = new Check("unanswered", unanswered, "interaction_required", isUnanswered);
  policy.add(new Prompt({ name: "device" }, device), 2);
  policy.add(new Prompt({ name: "create", requestable: true }), 0);
  return policy;
}

/**
 * Whether somebody who is logged in has to log in again: the policy of what is logged in to, or of
 * the person, asks for more than was shown, for a session that is not as old, or for another way.
 */
async function isOverByPolicy(
  parts: ProviderParts,
  { oidc }: KoaContextWithOIDC,
): Promise<boolean> {
  const { session, client, params } = oidc;
  if (session?.accountId === undefined || client === undefined) return false;
  const found = await findUser(parts, session.accountId);
  const begun = sessionOf(found?.state, session.uid, parts.now());
  if (begun === undefined) return false;
  const scope = String(params?.scope ?? "");
  const ofLogin = await findLoginPolicy(parts, { clientId: client.clientId, scope });
  // What the library compares is when the login ended here, also of who was asked elsewhere.
  const fromMs = parts.now() - Number(params?.max_age ?? Number.POSITIVE_INFINITY) * 1_000;
  if (oidc.result?.login === undefined && provenMs(begun) < fromMs) return true;
  const policy = await withPolicyOf(parts, ofLogin, found);
  return !(await goesOn(parts, policy, found, begun));
}

/** Shows what is refused after the library has done its work, for example a large session. */
function showRefusals(screens: Screens, { errors }: Pick<Library, "errors">) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    try {
      await next();
    } catch (thrown) {
      if (!(thrown instanceof errors.OIDCProviderError) || !thrown.expose) throw thrown;
      const { error, error_description = "" } = thrown;
      noteRefusal(ctx.req, { error });
      tellWhen(ctx, thrown);
      ctx.remove("location");
      ctx.status = thrown.status;
      await screens.error(ctx, { error, error_description }, thrown);
    }
  };
}

/**
 * Has all that a login leaves behind written in one commit, when the library has done its work. Of
 * what could not be written the browser hears nothing: it goes on with what it has.
 */
function holdLogins({ unit }: Pick<ProviderParts, "unit">) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    const isLogin = [routes.authorization, routes.code_verification].some((path) =>
      ctx.path.startsWith(path),
    );
    if (!isLogin) return await next();
    await unit.hold(next).catch((thrown: unknown) => {
      ctx.remove("set-cookie");
      throw thrown;
    });
  };
}

/**
 * Has an application that wants to act in a person's absence ask each time (OIDC Core 1.0, 11):
 * many applications that want it say so by the scope alone, also where an account is created. Of
 * one that can have no refresh token the scope means nothing. A scope that is left out is `openid`.
 */
function askForConsent({ Client }: Provider) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    if (ctx.method !== "GET" || ctx.path !== routes.authorization) return await next();
    const { scope = "openid", prompt, response_type: type, client_id: clientId } = ctx.query;
    const isOffline = String(scope).split(" ").includes("offline_access");
    const isSilent = prompt === undefined || prompt === "create";
    const isOfCode = String(type).split(" ").includes("code");
    const client =
      isOffline && isSilent && isOfCode ? await Client.find(String(clientId)) : undefined;
    const isAsked = client?.grantTypeAllowed("refresh_token");
    const asking = isAsked && { prompt: prompt === undefined ? "consent" : "create consent" };
    // What stays as it was sent is not written anew.
    if (asking || ctx.query.scope === undefined) ctx.query = { ...ctx.query, scope, ...asking };
    await next();
  };
}

/** Has a page of ours in place of the form by which the library logs out a browser of nobody. */
function showNobodyLogout({ nobodyLogout }: Screens) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const { route, session } = ctx.oidc ?? {};
    const isOfNobody = session !== undefined && session.accountId === undefined;
    if (route === "end_session" && isOfNobody && ctx.status === 200) await nobodyLogout(ctx);
  };
}
