import { v7 } from "uuid";
import type { Page } from "./browser.ts";
import type { ExternalParties } from "./external.ts";
import { comeForged, forge } from "./forged.ts";
import { givenRuled, type Ruled } from "./policies.ts";
import { type App, callback } from "./relying.ts";

/** An organization with an application, and a provider. */
export interface Place extends Pick<Ruled, "organization" | "change"> {
  readonly app: App;
  readonly idpId: string;
}

/** What is given of people who come from providers that answer what a test says. */
export function comersOf(parties: ExternalParties) {
  const forged = forge(parties.foreign);
  return {
    forged,

    /** An organization with a provider of these options. */
    async given(
      options: { readonly [option: string]: boolean | string } = {},
      policy?: object,
    ): Promise<Place> {
      const ruled = await givenRuled(parties, policy);
      const { organization, change } = ruled;
      const idpId = await parties.givenProvider({ organization, options });
      if (policy !== undefined) {
        await parties.call("POST", "/management/v1/policies/login/idps", { idpId }, organization);
      }
      return { organization, idpId, change, app: await ruled.givenApp() };
    },

    /** Comes from the provider as somebody of whom it says this; left out, as somebody new. */
    async come(
      place: Pick<Place, "app" | "idpId"> & Partial<Parameters<typeof comeForged>[2]>,
      said: object = {},
      sub = v7(),
    ) {
      forged.claims = { sub };
      forged.info = { sub, given_name: "Mallory", family_name: "M", ...said };
      return { sub, ...(await comeForged(parties, forged, place)) };
    },

    /** A person of the organization who is linked to an account at its provider. */
    async linked({ organization, idpId }: Place, more: object = {}) {
      const sub = v7();
      const link = { configId: idpId, externalUserId: sub, displayName: sub };
      const person = await parties.givenPerson({ idps: [link], ...more }, organization);
      return { ...person, sub };
    },

    /** What has happened to a person since then. */
    async since(position: bigint, { userId }: { readonly userId: string }) {
      const events = await parties.server.events(position);
      return events.filter(({ stream }) => stream === `user-${userId}`).map(({ type }) => type);
    },

    async read({ organization }: Pick<Place, "organization">, userId: unknown) {
      const path = `/management/v1/users/${userId}`;
      const { user } = await parties.call("GET", path, undefined, organization);
      return user as ReadPerson;
    },
  };
}

interface ReadPerson {
  readonly userName: string;
  readonly human: {
    readonly email: { readonly email: string; readonly isEmailVerified?: boolean };
  };
}

/** Whether a browser was led back to the application with a code. */
export function isIn({ url }: Pick<Page, "url">): boolean {
  return url.startsWith(`${callback}?code=`);
}
