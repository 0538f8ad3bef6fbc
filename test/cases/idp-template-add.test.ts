import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { AutoLinkingOption } from "../../gen/iam/idp/v1/provider_pb.js";
import type { Serves } from "../../src/domain/idp-config.ts";
import { type Case, row, runCases } from "../harness/cases.ts";
import {
  type Added,
  bothLevels,
  consumers,
  everything,
  linking,
  methodOf,
  storedEverything,
  storedLinking,
  tried,
} from "./idp-templates.ts";
import { givenProviderOf, openedSecret, taken } from "./idps.ts";
import { detailsOf, fact, granted } from "./stored.ts";

type Tried = (typeof tried)[number];
const { EMAIL, USERNAME } = AutoLinkingOption;

function addingRows(one: Tried, serves: Serves): readonly Case[] {
  const { template, part, hasSecret, smallest, stored, whole, storedWhole } = one;
  const method = methodOf("add", one, serves);
  const secret = hasSecret ? { clientSecret: "their secret" } : {};
  const sealed = hasSecret ? { clientSecret: expect.any(String) } : {};
  const named = part === "client" ? { template } : {};
  const stylingType = template === "GOOGLE" ? "GOOGLE" : "UNSPECIFIED";

  const adds = (name: string, settings: object, providerOptions: object, written: object): Case =>
    row(name, method, ({ server, unique }) => ({
      request: { name: unique, ...settings, ...secret, providerOptions },
      expected: {
        ok(message, events) {
          const { id, details } = message as Added & { readonly details: object };
          const { organization: owner, userId: actor } = server.admin;
          const envelope = { stream: `idp-${id}`, owner, actor };
          const config = { name: unique, serves, stylingType, ...named, ...written };
          expect(events.map(fact)).toMatchObject([
            { ...envelope, type: "idp.config.added", payload: config },
            { ...envelope, type: `idp.${part}.config.added` },
          ]);
          const set = settings === smallest ? stored : storedWhole;
          expect(fact(events[1]!).payload).toEqual({ ...set, ...sealed });
          if (hasSecret) expect(openedSecret(server, events[1]!)).toBe("their secret");
          expect(details).toMatchObject(detailsOf(events));
        },
      },
    }));

  const refused = (name: string, given: object, field: string): Case =>
    row(name, method, ({ unique }) => ({
      request: { name: unique, ...smallest, ...secret, providerOptions: linking, ...given },
      expected: { code: 3, reason: "INVALID_FIELDS", fields: [field] },
    }));

  return [
    adds(`${serves}: stores the defaults`, smallest, linking, {
      ...{ autoRegister: false, options: storedLinking },
    }),
    adds(`${serves}: stores everything`, whole, everything, {
      ...{ autoRegister: true, options: storedEverything },
    }),
    refused(`${serves}: refuses no options`, { providerOptions: undefined }, "provider_options"),
    refused(
      `${serves}: refuses options by which nobody gets in`,
      { providerOptions: { isAutoUpdate: true } },
      "provider_options",
    ),
    refused(
      `${serves}: refuses links by user name`,
      { providerOptions: { ...linking, autoLinking: USERNAME } },
      "provider_options.auto_linking",
    ),
    refused(
      `${serves}: refuses proposals where no link is allowed`,
      { providerOptions: { isCreationAllowed: true, autoLinking: EMAIL } },
      "provider_options.auto_linking",
    ),
    refused(
      `${serves}: refuses automatic creation where none is allowed`,
      { providerOptions: { ...linking, isAutoCreation: true } },
      "provider_options.is_auto_creation",
    ),
    row(`${serves}: refuses a name that is taken there`, method, async ({ server, unique }) => {
      const { organization } = server.admin;
      await givenProviderOf(server, organization, "OIDC", { name: unique, serves });
      const request = { ...smallest, ...secret, providerOptions: linking };
      return { request: { ...request, name: unique.toUpperCase() }, expected: taken };
    }),
    row(`${serves}: takes a name that is taken elsewhere`, method, async ({ server, unique }) => {
      const { organization } = server.admin;
      const other = serves === "INSTANCE" ? "ORGANIZATION" : "INSTANCE";
      await givenProviderOf(server, organization, "OIDC", { name: unique, serves: other });
      const request = { ...smallest, ...secret, providerOptions: linking };
      return {
        request: { ...request, name: unique },
        expected: { ok: (_message, events) => expect(events).toHaveLength(2) },
      };
    }),
  ];
}

for (const one of tried) {
  runCases(
    `Add${one.name}Provider`,
    bothLevels.flatMap((serves) => addingRows(one, serves)),
  );
}

const { addAzureADProvider } = AdminService.method;
const azure = { clientId: "client", clientSecret: "secret", providerOptions: linking };

runCases("tenants of Entra", [
  row("stores a kind of accounts", addAzureADProvider, ({ unique: name }) => ({
    request: { ...azure, name, tenant: consumers },
    expected: {
      ok: (_message, events) =>
        expect(fact(events[1]!).payload).toMatchObject({ tenant: "consumers" }),
    },
  })),
  ...["contoso.onmicrosoft.com", "common", "2f4a9838-26b7-47ee-be60-ccc1fdec595", " "].map(
    (value) =>
      row(`refuses the tenant ${value}`, addAzureADProvider, ({ unique: name }) => ({
        request: { ...azure, name, tenant: { type: { case: "tenantId" as const, value } } },
        expected: { code: 3, reason: "INVALID_FIELDS", fields: ["tenant.tenant_id"] },
      })),
  ),
  row("says how to mend options", addAzureADProvider, async ({ call, unique: name }) => {
    const others = { ...azure, name, providerOptions: {} };
    expect(await call(addAzureADProvider, others)).toMatchObject({
      message: expect.stringMatching(
        /must let somebody in: set is_?linking_?allowed, is_?creation_?allowed or both$/i,
      ),
    });
    granted(await call(addAzureADProvider, { ...azure, name }));
    return { request: { ...azure, name }, expected: taken };
  }),
]);
