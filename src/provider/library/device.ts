import type { errors, KoaContextWithOIDC, Provider } from "oidc-provider";
import { createClientSecret, hashSecret } from "../../secrets/tokens.ts";
import { deviceLimits } from "../base/device.ts";
import type { ProviderParts } from "../base/parts.ts";
import { cookieNames, isSecure, pathOf, routes } from "../base/site.ts";
import { isTooEarly } from "../base/tries.ts";
import { type NewLogin, saveBound } from "./binding.ts";
import { lifetimes } from "./configuration.ts";
import { method, type Patch } from "./replace.ts";

type DeviceCode = InstanceType<Provider["DeviceCode"]>;

/**
 * The id of a device code is the hash of what the device is given: people who log in with it come
 * by the id alone, which is kept with their login and lets nobody in.
 */
export const ofDevices: readonly Patch[] = [
  method<{ jti?: string }, [], Promise<string>>(
    "DeviceCode.prototype.save",
    {
      takes: 0,
      why: "The library gives the device what it keeps with each login that the code leads to.",
      without: "Who reads the table of logins fetches the tokens of a device.",
    },
    (save, { parts }) =>
      async function saveHashed() {
        if (this.jti !== undefined) return await save.call(this);
        const secret = createClientSecret(parts.random);
        this.jti = hashSecret(secret);
        await save.call(this);
        return secret;
      },
  ),
  method<unknown, [value: string, ...rest: unknown[]], Promise<DeviceCode | undefined>>(
    "DeviceCode.find",
    {
      takes: 0,
      why: "What the device shows is looked for by its hash.",
      without: "No device gets tokens, and its id would do for it.",
    },
    (find, { current }) =>
      async function findShown(value, ...rest) {
        const isShown = current()?.oidc.route === "token";
        return await find.call(this, isShown ? hashSecret(value) : value, ...rest);
      },
  ),
];

/** Where a login on a device begins, and which browser it begins in. */
interface Beginning {
  readonly provider: Provider;
  readonly code: DeviceCode;
  readonly ctx: Pick<KoaContextWithOIDC, "cookies">;
}

/**
 * Begins the login of a person who has entered the code of a device. Answers the path where it goes
 * on: there the library finds out who is logged in, and what has to be shown or asked.
 */
export async function beginDevice(
  parts: Pick<ProviderParts, "publicUrl" | "random">,
  { provider, code, ctx }: Beginning,
): Promise<string> {
  const uid = createClientSecret(parts.random);
  const path = `${routes.code_verification}/${uid}`;
  const Login = provider.Interaction as unknown as new (
    uid: string,
    payload: object,
  ) => NewLogin & Pick<InstanceType<Provider["Interaction"]>, "save">;
  const login = new Login(uid, {
    returnTo: parts.publicUrl() + path,
    prompt: { name: "login", reasons: [], details: {} },
    params: code.params,
    deviceCode: code.jti,
    cid: uid,
  });
  const save = () => login.save(lifetimes.interaction);
  await saveBound(login, save, { parts, ctx });
  ctx.cookies.set(cookieNames(parts).resume, uid, {
    ...{ httpOnly: true, sameSite: "lax", signed: false, secure: isSecure(parts) },
    path: pathOf(parts.publicUrl()) + path,
    maxAge: lifetimes.interaction * 1_000,
  });
  return path;
}

/** Whether the person has not said yet that the device may log in. */
export function isUnanswered({ oidc: { entities, result } }: KoaContextWithOIDC): boolean {
  return entities.DeviceCode !== undefined && result?.device === undefined;
}

/** Whether the device asks for a fresh login, which the library knows of other logins alone. */
export function asksForLogin({ oidc: { entities, result } }: KoaContextWithOIDC): boolean {
  return entities.DeviceCode?.params?.prompt === "login" && result?.login === undefined;
}

/** Has a device told how long to wait between two requests (RFC 8628, 3.2). */
export function tellInterval(provider: Provider): void {
  provider.on("device_authorization.success", (_ctx, answer: object) => {
    Object.assign(answer, { interval: deviceLimits.intervalSeconds });
  });
}

/** Has a device that asks too early told so (RFC 8628, 3.5), as long as nobody has answered it. */
export async function paced<Result>(
  ask: () => Promise<Result>,
  ctx: Pick<KoaContextWithOIDC, "oidc">,
  {
    parts,
    errors: { AuthorizationPending, SlowDown },
  }: {
    readonly parts: Pick<ProviderParts, "unit" | "now">;
    readonly errors: Pick<typeof errors, "AuthorizationPending" | "SlowDown">;
  },
): Promise<Result> {
  try {
    return await ask();
  } catch (thrown) {
    const isPending = thrown instanceof AuthorizationPending;
    if (isPending && (await isTooEarly(parts, String(ctx.oidc.params?.device_code)))) {
      throw new SlowDown();
    }
    throw thrown;
  }
}
