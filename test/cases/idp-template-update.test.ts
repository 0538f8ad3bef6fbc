import type { DescMethodUnary } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { IDPState, OIDCProvider } from "../../src/domain/idp.ts";
import type { Serves, Template } from "../../src/domain/idp-config.ts";
import { type Case, row, runCases, type World } from "../harness/cases.ts";
import {
  bothLevels,
  everything,
  linking,
  methodOf,
  storedEverything,
  storedLinking,
  tried,
} from "./idp-templates.ts";
import { givenOIDCProvider, givenProviderOf, openedSecret } from "./idps.ts";
import { fact } from "./stored.ts";
import { givenHuman } from "./users.ts";

type Tried = (typeof tried)[number];

async function stateOf({ server }: World, id: string): Promise<IDPState> {
  const [object] = await server.store.load([`idp-${id}`]);
  return JSON.parse(object!.state!) as IDPState;
}

function updatingRows(one: Tried, serves: Serves): readonly Case[] {
  const { template, part, hasSecret, whole, storedWhole, smallest } = one;
  const method = methodOf("update", one, serves);
  const given = ({ server }: World, more = {}) =>
    givenProviderOf(server, server.admin.organization, template, {
      ...{ serves, options: storedLinking },
      ...more,
    });
  const others = tried.filter((other) => other !== one);

  return [
    row(`${serves}: replaces everything, and keeps the secret`, method, async (world) => {
      const id = await given(world);
      const before = await stateOf(world, id);
      const { unique: name } = world;
      return {
        request: { id, name, ...whole, providerOptions: everything },
        expected: {
          async ok(_message, events) {
            const { stylingType } = before;
            const config = { name, stylingType, autoRegister: true, options: storedEverything };
            expect(events.map(fact)).toMatchObject([
              { type: "idp.config.changed", payload: config },
              { type: `idp.${part}.config.changed`, payload: storedWhole },
            ]);
            expect(fact(events[1]!).payload).not.toHaveProperty("clientSecret");
            const { oidc, jwt, client } = await stateOf(world, id);
            const { clientSecret } = (before.oidc ?? before.client ?? {}) as Partial<OIDCProvider>;
            const kept = hasSecret ? { clientSecret } : {};
            expect(oidc ?? jwt ?? client).toEqual({ ...storedWhole, ...kept });
          },
        },
      };
    }),
    row(`${serves}: replaces the name alone`, method, async (world) => {
      const id = await given(world);
      const { unique: name } = world;
      return {
        request: { id, name, updateMask: { paths: ["name"] } },
        expected: {
          ok: (_message, events) =>
            expect(events.map(fact)).toMatchObject([
              { type: "idp.config.changed", payload: { name, options: storedLinking } },
            ]),
        },
      };
    }),
    row(`${serves}: refuses options by which nobody gets in`, method, async (world) => ({
      request: { id: await given(world), name: world.unique, ...smallest, providerOptions: {} },
      expected: { code: 3, reason: "INVALID_FIELDS", fields: ["provider_options"] },
    })),
    row(`${serves}: refuses a mask by which nobody gets in`, method, async (world) => ({
      request: { id: await given(world), updateMask: { paths: ["provider_options"] } },
      expected: { code: 3, reason: "INVALID_FIELDS", fields: ["provider_options"] },
    })),
    ...others.map((other) =>
      row(`${serves}: refuses a provider of ${other.template}`, method, async (world) => {
        const { server, unique: name } = world;
        const { organization } = server.admin;
        return {
          request: {
            ...{ id: await givenProviderOf(server, organization, other.template, { serves }) },
            ...{ name, ...smallest, providerOptions: linking },
          },
          expected: {
            code: 9,
            reason: "IDP_OTHER_TEMPLATE",
            message: `The identity provider has the template ${other.template}: use the update of that one.`,
          },
        };
      }),
    ),
    ...(hasSecret
      ? [
          row(`${serves}: takes another secret`, method, async (world) => {
            const id = await given(world);
            return {
              request: { id, clientSecret: "new", updateMask: { paths: ["client_secret"] } },
              expected: {
                ok(_message, events) {
                  expect(events.map(({ type }) => type)).toEqual([`idp.${part}.config.changed`]);
                  expect(openedSecret(world.server, events[0]!)).toBe("new");
                },
              },
            };
          }),
        ]
      : []),
  ];
}

for (const one of tried) {
  runCases(
    `Update${one.name}Provider`,
    bothLevels.flatMap((serves) => updatingRows(one, serves)),
  );
}

const { updateGenericOIDCProvider, updateIDPOIDCConfig, updateIDP } = AdminService.method;
const { updateOrgIDPJWTConfig, updateOrgIDPOIDCConfig } = ManagementService.method;

const paths = (...names: readonly string[]) => ({ updateMask: { paths: [...names] } });

runCases("providers of before", [
  row("get options, and keep how names are mapped", updateGenericOIDCProvider, async (world) => {
    const { server, unique: name } = world;
    const { organization } = server.admin;
    const id = await givenOIDCProvider(server, organization, {
      ...{ clientSecret: "kept", usernameMapping: "EMAIL" },
    });
    const providerOptions = { ...linking };
    const oidc = { issuer: "https://idp.example.com", clientId: "client", usePkce: true };
    return {
      request: { id, name, ...oidc, providerOptions },
      expected: {
        async ok(_message, events) {
          const { type, payload } = fact(events[0]!);
          expect(type).toBe("idp.config.changed");
          expect(payload).toMatchObject({ name, options: storedLinking });
          expect(await stateOf(world, id)).toMatchObject({ oidc: { usernameMapping: "EMAIL" } });
        },
      },
    };
  }),
  row("create users only where their options allow it", updateIDP, async (world) => {
    const { server } = world;
    const { organization } = server.admin;
    const idpId = await givenProviderOf(server, organization, "GOOGLE", {
      options: storedLinking,
    });
    return {
      request: { idpId, autoRegister: true, ...paths("auto_register") },
      expected: { code: 3, reason: "INVALID_FIELDS", fields: ["auto_register"] },
    };
  }),
  ...([updateIDPOIDCConfig, updateOrgIDPOIDCConfig] as readonly DescMethodUnary[]).map((method) =>
    row(`have OIDC, and Google has none: ${method.name}`, method, async ({ server }) => ({
      request: {
        idpId: await givenProviderOf(server, server.admin.organization, "GOOGLE"),
        ...{ issuer: "https://a.example", clientId: "other" },
      },
      expected: { code: 9, reason: "IDP_NOT_OIDC" },
    })),
  ),
]);

const elsewhere = "https://evil.example.com";
const secretMissing = { code: 3, reason: "INVALID_FIELDS", fields: ["client_secret"] };

runCases("a stored secret sent elsewhere", [
  ...(
    [
      [updateIDPOIDCConfig, "idpId"],
      [updateOrgIDPOIDCConfig, "idpId"],
      [updateGenericOIDCProvider, "id"],
      [ManagementService.method.updateGenericOIDCProvider, "id"],
    ] as readonly (readonly [DescMethodUnary, string])[]
  ).flatMap(([method, id], index) => {
    const serves = index === 2 ? "INSTANCE" : "ORGANIZATION";
    const given = async ({ server }: World) => {
      const { organization } = server.admin;
      return { [id]: await givenProviderOf(server, organization, "OIDC", { serves }) };
    };
    const name = `${method.parent.typeName}.${method.name}`;
    return [
      row(`another issuer without a secret is refused: ${name}`, method, async (world) => ({
        request: { ...(await given(world)), issuer: elsewhere, ...paths("issuer") },
        expected: secretMissing,
      })),
      row(`an empty secret is none: ${name}`, method, async (world) => ({
        request: {
          ...{ ...(await given(world)), issuer: elsewhere, clientSecret: "" },
          ...paths("issuer", "client_secret"),
        },
        expected: secretMissing,
      })),
      row(`another issuer has a secret of its own: ${name}`, method, async (world) => ({
        request: {
          ...{ ...(await given(world)), issuer: elsewhere, clientSecret: "its own" },
          ...paths("issuer", "client_secret"),
        },
        expected: {
          ok: (_message, [event]) => {
            expect(fact(event!).payload).toMatchObject({ issuer: elsewhere });
            expect(openedSecret(world.server, event!)).toBe("its own");
          },
        },
      })),
    ];
  }),
  row("a JWT provider has no secret that could go along", updateOrgIDPJWTConfig, async (world) => {
    const { server } = world;
    return {
      request: {
        idpId: await givenProviderOf(server, server.admin.organization, "JWT"),
        ...{ issuer: elsewhere, ...paths("issuer") },
      },
      expected: { ok: (_message, events) => expect(events).toHaveLength(1) },
    };
  }),
]);

const inUse = {
  code: 9,
  reason: "IDP_IN_USE",
  message:
    "1 user is linked to the identity provider, and another issuer could log in as them: " +
    "add another provider, or remove the links first.",
};

runCases("who vouches for linked users", [
  row("stays: the issuer of a provider of before", updateIDPOIDCConfig, async (world) => ({
    request: {
      ...{ idpId: await givenLinked(world, "OIDC"), issuer: "https://evil.example.com" },
      ...paths("issuer"),
    },
    expected: inUse,
  })),
  row("stays: the issuer of a template", updateGenericOIDCProvider, async (world) => ({
    request: {
      ...{ id: await givenLinked(world, "OIDC"), issuer: "https://evil.example.com" },
      ...paths("issuer"),
    },
    expected: inUse,
  })),
  row("stays: the keys of tokens", updateOrgIDPJWTConfig, async (world) => ({
    request: {
      ...{ idpId: await givenLinked(world, "JWT"), keysEndpoint: "https://evil.example.com" },
      ...paths("keys_endpoint"),
    },
    expected: inUse,
  })),
  row("stays, and the client changes", updateIDPOIDCConfig, async (world) => ({
    request: { idpId: await givenLinked(world, "OIDC"), clientId: "new", ...paths("client_id") },
    expected: { ok: (_message, events) => expect(events).toHaveLength(1) },
  })),
]);

/** A provider that somebody is linked to. */
async function givenLinked({ server }: World, template: Template): Promise<string> {
  const { organization } = server.admin;
  const idpId = await givenProviderOf(server, organization, template);
  const payload = { idpId, externalUserId: "ada", displayName: "" };
  await givenHuman(server, organization, {}, [{ type: "user.human.externalidp.added", payload }]);
  return idpId;
}
