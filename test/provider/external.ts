import { createFetcher } from "../../src/fetch/fetcher.ts";
import { allowing } from "../fetch/listener.ts";
import type { TestServerOptions } from "../harness/server.ts";
import type { Browser } from "./browser.ts";
import { type Foreign, foreignClient, startForeign } from "./foreign.ts";
import { type App, type Begun, begin, fetchTokens, type Parties, startParties } from "./relying.ts";

/** A service, and a provider elsewhere. */
export interface ExternalParties extends Parties {
  readonly foreign: Foreign;
  /** Has the service know the provider; answers the id that it has here. */
  givenProvider(given?: GivenProvider): Promise<string>;
}

interface GivenProvider {
  readonly organization?: string;
  readonly options?: { readonly [option: string]: boolean | string };
  /** What else is set of it. */
  readonly more?: object;
  readonly serves?: Parameters<Foreign["serve"]>[1];
}

/** Starts both: the service may ask the provider, which is on this machine. */
export async function startExternal({
  foreign: started,
  ...options
}: TestServerOptions & { readonly foreign?: Foreign } = {}): Promise<ExternalParties> {
  const people = {
    ada: {
      ...{ name: "Ada Lovelace", given_name: "Ada", family_name: "Lovelace" },
      ...{ preferred_username: "ada", email: "ada@example.org", email_verified: true },
    },
  };
  const foreign = started ?? (await startForeign(people));
  const allow = allowing(`127.0.0.1/32:${foreign.port}`);
  const parties = await startParties({ fetcher: createFetcher({ allow, http: true }), ...options });
  return {
    ...{ ...parties, foreign },
    async givenProvider({ organization, options: chosen, more, serves } = {}) {
      const path = "/management/v1/idps/generic_oidc";
      const providerOptions = { isLinkingAllowed: true, isCreationAllowed: true, ...chosen };
      const message = {
        name: "Elsewhere",
        issuer: foreign.issuer,
        ...foreignClient,
        usePkce: true,
      };
      const made = await parties.call(
        "POST",
        path,
        { ...message, scopes: ["openid", "profile", "email"], providerOptions, ...more },
        organization,
      );
      const id = String(made.id);
      foreign.serve(`${parties.server.url}/idps/${id}/callback`, serves);
      return id;
    },
    close: async () => {
      await parties.close();
      await foreign.close();
    },
  };
}

/** Begins a login and goes to the provider; answers where the browser was sent. */
export async function goElsewhere(
  browser: Browser,
  app: App,
  parameters: { readonly [name: string]: string } = {},
): Promise<{ readonly begun: Begun; readonly url: string }> {
  const begun = await begin(app, parameters);
  await browser.open(begun.url.href);
  const { url } = await browser.send({}, "external");
  return { begun, url };
}

/** Logs in at the provider, and comes back. */
export async function comeBack(
  { foreign }: ExternalParties,
  browser: Browser,
  { url, sub = "ada" }: { readonly url: string; readonly sub?: string },
) {
  return await browser.open(await foreign.logIn(url, sub));
}

/** Does both; answers the claims of the ID token of the application. */
export async function logInElsewhere(
  parties: ExternalParties,
  browser: Browser,
  app: App,
  sub?: string,
) {
  const { begun, url } = await goElsewhere(browser, app);
  const back = await comeBack(parties, browser, { url, ...(sub === undefined ? {} : { sub }) });
  return (await fetchTokens(app, begun, back.url)).claims();
}
