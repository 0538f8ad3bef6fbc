import { type Message, toJson } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { IDPOwnerType } from "../../gen/iam/idp/v1/idp_pb.js";
import { TextQueryMethod } from "../../gen/iam/v1/search_pb.js";
import { idp } from "../../src/domain/idp.ts";
import type { Serves } from "../../src/domain/idp-config.ts";
import { type Case, row, runCases } from "../harness/cases.ts";
import { givenOrganization } from "../harness/server.ts";
import { detailsJson, eventsOf } from "./given.ts";
import { type Added, bothLevels, everything, methodOf, methodsAt, tried } from "./idp-templates.ts";
import { givenOIDCProvider, givenProviderOf } from "./idps.ts";
import { lookupRows } from "./lookups.ts";
import { granted } from "./stored.ts";

type Tried = (typeof tried)[number];

const notFound = {
  code: 5,
  reason: "IDP_NOT_FOUND",
  message: "No identity provider with this id exists where the caller may act.",
} as const;
const owners = { INSTANCE: "IDP_OWNER_TYPE_SYSTEM", ORGANIZATION: "IDP_OWNER_TYPE_ORG" };
const allOptions = { ...everything, autoLinking: "AUTO_LINKING_OPTION_EMAIL" };

/** What is told of the settings of a request. */
function toldOf(settings: object): object {
  const { tenant, ...rest } = settings as { readonly tenant?: unknown };
  const tenantId = "2f4a9838-26b7-47ee-be60-ccc1fdec5953";
  return tenant === undefined ? rest : { ...rest, tenant: { tenantId } };
}

function readingRows(one: Tried, serves: Serves): readonly Case[] {
  const { getProviderByID, listProviders } = methodsAt(serves);
  const secret = one.hasSecret ? { clientSecret: "their secret" } : {};
  const type = `PROVIDER_TYPE_${one.template}`;

  return [getProviderByID, listProviders].map((method) =>
    row(`${serves}: ${method.name} tells all but the secret`, method, async (world) => {
      const { call, server, unique: name } = world;
      const request = { name, ...one.whole, ...secret, providerOptions: everything };
      const { id } = granted<Added>(await call(methodOf("add", one, serves), request));
      const events = await eventsOf(server, `idp-${id}`);
      const provider = {
        ...{ id, name, type, state: "IDP_STATE_ACTIVE", owner: owners[serves] },
        details: detailsJson(events),
        config: { options: allOptions, [one.config]: toldOf(one.whole) },
      };
      const byName = { query: { case: "idpNameQuery" as const, value: { name } } };
      return {
        request: method === getProviderByID ? { id } : { queries: [byName] },
        expected: {
          ok(message: Message) {
            const told = toJson(method.output, message);
            expect(told).toMatchObject(
              method === getProviderByID ? { idp: provider } : { result: [provider] },
            );
            expect(JSON.stringify(told)).not.toMatch(/secret/i);
          },
        },
      };
    }),
  );
}

for (const one of tried) {
  runCases(
    `reading providers of ${one.template}`,
    bothLevels.flatMap((serves) => readingRows(one, serves)),
  );
}

const ofOrganization = methodsAt("ORGANIZATION");

runCases("reading providers", [
  ...bothLevels.flatMap((serves) =>
    lookupRows({
      ...{ method: methodsAt(serves).getProviderByID, noun: idp, notFound },
      given: ({ server }, { organization }) => givenProviderOf(server, organization, "GOOGLE"),
      request: (id) => ({ id }),
      removal: { type: "idp.removed", payload: {} },
      ...(serves === "INSTANCE" ? { isEverywhere: true } : {}),
    }),
  ),
  row("has those of before, with their options", ofOrganization.getProviderByID, async (world) => {
    const { server } = world;
    const id = await givenOIDCProvider(server, server.admin.organization, { clientSecret: "s" });
    return {
      request: { id },
      expected: {
        ok(message) {
          expect(toJson(ofOrganization.getProviderByID.output, message)).toMatchObject({
            idp: {
              type: "PROVIDER_TYPE_OIDC",
              config: {
                options: { isLinkingAllowed: true, isCreationAllowed: true, isAutoCreation: true },
                oidc: { issuer: "https://idp.example.com", usePkce: true },
              },
            },
          });
        },
      },
    };
  }),
  row("has those of the instance", ofOrganization.listProviders, async (world) => {
    const { server, unique: name } = world;
    const other = await givenOrganization(server);
    const served = await givenProviderOf(server, other, "GITHUB", { name, serves: "INSTANCE" });
    await givenProviderOf(server, other, "GITHUB", { name: `${name} of another` });
    const own = await givenProviderOf(server, server.admin.organization, "GOOGLE", { name });
    const value = { name, method: TextQueryMethod.STARTS_WITH };
    return {
      request: { queries: [{ query: { case: "idpNameQuery", value } }], query: { asc: true } },
      expected: {
        ok(message) {
          const { result } = message as Message & { readonly result: readonly Added[] };
          expect(result.map(({ id }) => id)).toEqual([served, own]);
        },
      },
    };
  }),
  row("finds those of the organization's own", ofOrganization.listProviders, async (world) => {
    const { server, unique: name } = world;
    const { organization } = server.admin;
    await givenProviderOf(server, organization, "GITHUB", { name, serves: "INSTANCE" });
    const own = await givenProviderOf(server, organization, "GOOGLE", { name });
    const ownerType = IDPOwnerType.IDP_OWNER_TYPE_ORG;
    return {
      request: {
        queries: [
          { query: { case: "idpNameQuery", value: { name } } },
          { query: { case: "ownerTypeQuery", value: { ownerType } } },
        ],
      },
      expected: {
        ok(message) {
          const { result } = message as Message & { readonly result: readonly Added[] };
          expect(result.map(({ id }) => id)).toEqual([own]);
        },
      },
    };
  }),
]);
