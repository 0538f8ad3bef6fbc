import * as oidc from "openid-client";
import { deviceGrant, deviceLimits } from "../../src/provider/base/device.ts";
import { post, type Told } from "./asking.ts";
import type { Browser, Page } from "./browser.ts";
import type { App, Parties, Person } from "./relying.ts";

/** What an application for devices alone is created with. */
export const ofDevices = {
  ...{ redirectUris: [], postLogoutRedirectUris: [], responseTypes: [] },
  appType: "OIDC_APP_TYPE_NATIVE",
  grantTypes: ["OIDC_GRANT_TYPE_DEVICE_CODE", "OIDC_GRANT_TYPE_REFRESH_TOKEN"],
};

export const devicePath = "/oauth/v2/device_authorization";

/** The headings of the pages. */
export const pages = {
  enter: "Connect a device",
  ask: "Log in on the other device?",
  allowed: "Your device is connected",
  denied: "Your device isn’t connected",
  over: "This code no longer works",
} as const;

/** What a device is told that asks for a code, by openid-client. */
export type Asked = Awaited<ReturnType<typeof ask>>;

export function ask({ config }: App, parameters: { readonly [name: string]: string } = {}) {
  return oidc.initiateDeviceAuthorization(config, { scope: "openid profile", ...parameters });
}

/** Asks for the tokens once, as soon as it may. */
export async function poll(parties: Parties, app: App, { device_code }: Asked): Promise<Told> {
  parties.clock.nowMs += deviceLimits.intervalSeconds * 1_000;
  return await pollAtOnce(parties, app, device_code);
}

export function pollAtOnce(parties: Parties, { clientId }: App, deviceCode: string) {
  const fields = { client_id: clientId, grant_type: deviceGrant, device_code: deviceCode };
  return post(parties, "/oauth/v2/token", fields);
}

/** Enters a code; the page that comes is that of the login, or asks a person who is logged in. */
export async function enter(browser: Browser, { user_code }: Asked): Promise<Page> {
  await browser.open("/device");
  return await browser.send({ user_code });
}

/** The same, and logs a person in; the page that comes asks whether to allow it. */
export async function enterAs(browser: Browser, asked: Asked, person: Person): Promise<Page> {
  await enter(browser, asked);
  return await browser.send({ userName: person.userName, password: person.password }, "password");
}
