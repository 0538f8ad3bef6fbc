import { createServerTransport } from "@zitadel/client/node";
import {
  createAdminServiceClient,
  createAuthServiceClient,
  createManagementServiceClient,
} from "@zitadel/client/v1";
import { createUserServiceClient } from "@zitadel/client/v2";
import {
  createAccessTokenInterceptor,
  createAdminClient,
  createAuthClient,
  createManagementClient,
  createServiceAccountInterceptor,
  createUserClient,
} from "@zitadel/node/dist/api/index.js";
import { ServiceAccount } from "@zitadel/node/dist/credentials/index.js";
import { Metadata } from "nice-grpc-common";

/** Who calls, and where. */
export interface Shown {
  readonly url: string;
  readonly token: string;
  /** The file of the key of a service account. */
  readonly file: object;
}

/** A library of others as programs use it, with the methods of each service by their names. */
export interface Library {
  readonly name: string;
  open(shown: Shown): { readonly [service in Service]: Methods };
  /** The options of a call that acts on another organization. */
  on(organization: string): object;
}

export type Service = "admin" | "auth" | "management" | "user";

type Methods = { readonly [method: string]: Method };

type Method = (request: object, options?: object) => Promise<Answered>;

/** What a library makes of an answer. */
export interface Answered {
  readonly [field: string]: unknown;
  readonly details?: { readonly resourceOwner: string };
}

/** Their types tell methods apart; here they are called by name. */
const methods = (client: object) => client as Methods;

const header = "x-zitadel-orgid";

type Interceptor = Parameters<typeof createAdminClient>[1];

/** The other library, by what it shows. */
const ofNode = (name: string, showing: (shown: Shown) => Interceptor): Library => ({
  name: `@zitadel/node, ${name}`,
  open: (shown) => {
    const by = showing(shown);
    return {
      admin: methods(createAdminClient(shown.url, by)),
      auth: methods(createAuthClient(shown.url, by)),
      management: methods(createManagementClient(shown.url, by)),
      user: methods(createUserClient(shown.url, by)),
    };
  },
  on: (organization) => ({ metadata: new Metadata({ [header]: organization }) }),
});

export const libraries: readonly Library[] = [
  {
    name: "@zitadel/client",
    open: ({ url: baseUrl, token }) => {
      const transport = createServerTransport(token, { baseUrl });
      return {
        admin: methods(createAdminServiceClient(transport)),
        auth: methods(createAuthServiceClient(transport)),
        management: methods(createManagementServiceClient(transport)),
        user: methods(createUserServiceClient(transport)),
      };
    },
    on: (organization) => ({ headers: { [header]: organization } }),
  },
  ofNode("by the key of a service account", ({ url, file }) => {
    const account = ServiceAccount.fromJsonString(JSON.stringify(file));
    return createServiceAccountInterceptor(url, account, { apiAccess: true });
  }),
  ofNode("by a token", ({ token }) => createAccessTokenInterceptor(token)),
];
