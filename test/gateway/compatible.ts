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
  createUserClient,
} from "@zitadel/node/dist/api/index.js";
import { Metadata } from "nice-grpc-common";

/** A library of others as programs use it, with the methods of each service by their names. */
export interface Library {
  readonly name: string;
  open(url: string, token: string): { readonly [service in Service]: Methods };
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

export const libraries: readonly Library[] = [
  {
    name: "@zitadel/client",
    open: (baseUrl, token) => {
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
  {
    name: "@zitadel/node",
    open: (url, token) => {
      const shown = createAccessTokenInterceptor(token);
      return {
        admin: methods(createAdminClient(url, shown)),
        auth: methods(createAuthClient(url, shown)),
        management: methods(createManagementClient(url, shown)),
        user: methods(createUserClient(url, shown)),
      };
    },
    on: (organization) => ({ metadata: new Metadata({ [header]: organization }) }),
  },
];
