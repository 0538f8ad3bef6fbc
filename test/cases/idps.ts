import type { DescMethodUnary, Message, MessageInitShape } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { v7 } from "uuid";
import type { AddJWTIDPRequestSchema, AddJWTIDPResponse } from "../../gen/iam/admin/v1/idp_pb.js";
import type { AddOrgOIDCIDPRequestSchema } from "../../gen/iam/management/v1/idp_pb.js";
import { type IDPEvent, idp, type OIDCProvider } from "../../src/domain/idp.ts";
import { addIDP, type Settings } from "../../src/domain/idp-change.ts";
import type {
  IDPConfig,
  JWTProvider,
  ProviderOptions,
  Template,
} from "../../src/domain/idp-config.ts";
import type { RecordedEvent } from "../../src/event.ts";
import { type Case, row } from "../harness/cases.ts";
import type { TestServer } from "../harness/server.ts";
import { detailsOf, fact, granted } from "./stored.ts";

/** What the tables on identity providers share: smallest requests, and providers without a call. */

export type GivenJWT = MessageInitShape<typeof AddJWTIDPRequestSchema>;
export type GivenOIDC = MessageInitShape<typeof AddOrgOIDCIDPRequestSchema>;

/** The provider's settings of the smallest valid request, with every default. */
export const smallestJWT: JWTProvider = {
  jwtEndpoint: "https://idp.example.com/jwt",
  issuer: "https://idp.example.com",
  keysEndpoint: "https://idp.example.com/keys",
  headerName: "authorization",
};

export const smallestOIDC: Omit<OIDCProvider, "clientSecret"> = {
  clientId: "client",
  issuer: "https://idp.example.com",
  scopes: [],
  displayNameMapping: "UNSPECIFIED",
  usernameMapping: "UNSPECIFIED",
};

export const taken = {
  code: 6,
  reason: "NAME_TAKEN",
  message: "Another identity provider there has this name (ignoring case). Choose a different one.",
};

/**
 * Rows that are alike for every method that creates a provider; `smallest` is the smallest request
 * that it accepts, but for the name.
 */
export function addingRows(method: DescMethodUnary, smallest: object) {
  const refused = (name: string, given: object, fields: readonly string[]): Case =>
    row(name, method, ({ unique }) => ({
      request: { ...smallest, name: unique, ...given },
      expected: { code: 3, reason: "INVALID_FIELDS", fields },
    }));

  // One more client could not use a name that is taken, so names at limits begin differently.
  const nameOf = (characters: number, character: string): Case =>
    row(`takes a name of ${characters} ${character}`, method, ({ unique }) => {
      const name = `${unique}${character.repeat(characters - unique.length)}`;
      return {
        request: { ...smallest, name },
        expected: {
          ok: (_message, [config]) => expect(fact(config!).payload).toMatchObject({ name }),
        },
      };
    });

  const names = [
    nameOf(200, "n"),
    nameOf(200, "😀"),
    refused("refuses a name of white space", { name: " \t\u00a0" }, ["name"]),
    refused("refuses a name of invisible characters", { name: "\u200b\ufeff" }, ["name"]),
    refused("refuses a name of two lines", { name: "a\nb" }, ["name"]),
  ];

  const takenNames = [
    row("refuses a name that is taken, in another case", method, async ({ call, unique }) => {
      granted(await call(method, { ...smallest, name: unique }));
      return { request: { ...smallest, name: unique.toUpperCase() }, expected: taken };
    }),
    row("is one winner of a name that many want at once", method, async (world) => {
      const { call, server, unique } = world;
      const before = await server.head();
      const wanted = [unique, unique.toUpperCase(), unique, unique.toUpperCase()];
      const answers = await Promise.all(wanted.map((name) => call(method, { ...smallest, name })));
      const won = answers.flatMap((answer) => (answer.ok ? [answer.message] : []));
      expect(answers.filter(({ ok }) => !ok)).toMatchObject([taken, taken, taken]);
      const [{ idpId }] = won as [Message & { readonly idpId: string }];
      const streams = (await server.events(before)).map(({ stream }) => stream);
      expect(streams).toEqual([`idp-${idpId}`, `idp-${idpId}`]);
      return { request: { ...smallest, name: unique }, expected: taken };
    }),
  ];

  return { refused, names, takenNames };
}

/** The log holds the two events of the provider, whole; the answer tells what is in them. */
export function expectAdded(
  { admin }: TestServer,
  { idpId, details }: Pick<AddJWTIDPResponse, "idpId" | "details">,
  events: readonly RecordedEvent[],
  config: IDPConfig,
  provider: { readonly type: IDPEvent["type"]; readonly payload: object },
): void {
  const envelope = { stream: `idp-${idpId}`, owner: admin.organization, actor: admin.userId };
  expect(events.map(fact)).toEqual([
    { ...envelope, version: 1, type: "idp.config.added", payload: config },
    { ...envelope, version: 2, ...provider },
  ]);
  expect(idpId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(details).toMatchObject(detailsOf(events));
}

/** The text that a sealed client secret opens to, at the place of its own provider alone. */
export function openedSecret({ keyring }: TestServer, event: RecordedEvent): string {
  const { clientSecret } = JSON.parse(event.payload) as OIDCProvider;
  expect(clientSecret).toMatch(/^v1\.[\w-]+\.[\w-]+$/);
  const place = { stream: event.stream, field: "clientSecret" };
  expect(() => keyring.open(clientSecret, { ...place, stream: `idp-${v7()}` })).toThrow();
  expect(() => keyring.open(clientSecret, { ...place, field: "secret" })).toThrow();
  return keyring.open(clientSecret, place);
}

/** What a provider that is given has otherwise than by default. */
export interface GivenProvider {
  readonly name?: string;
  readonly serves?: IDPConfig["serves"];
  readonly options?: ProviderOptions;
  readonly isInactive?: true;
}

/** What is set of providers that are given, as `Add…Provider` would. */
const clientSettings = { clientId: "before", scopes: ["email"] };
const given: { readonly [template in Template]: Settings } = {
  OIDC: { ...smallestOIDC, clientId: "before" },
  JWT: smallestJWT,
  GOOGLE: clientSettings,
  GITHUB: clientSettings,
  AZURE_AD: { ...clientSettings, tenant: "organizations", trustsEmail: false },
};

/** A provider of a template that is there already, made without a call, with the secret `kept`. */
export function givenProviderOf(
  server: TestServer,
  owner: string,
  template: Template,
  { isInactive, ...more }: GivenProvider = {},
): Promise<string> {
  const id = v7();
  const clientSecret = server.keyring.seal("kept", { stream: `idp-${id}`, field: "clientSecret" });
  const { events } = addIDP(
    {
      ...{ name: v7(), serves: "ORGANIZATION", stylingType: "UNSPECIFIED", autoRegister: false },
      ...more,
    },
    { template, settings: given[template], ...(template === "JWT" ? {} : { clientSecret }) },
  );
  const out = { type: "idp.deactivated", payload: {} } as const;
  return givenProvider(server, owner, id, [...(events.idp ?? []), ...(isInactive ? [out] : [])]);
}

/** An OIDC provider that is there already, made without a call. */
export async function givenOIDCProvider(
  server: TestServer,
  owner: string,
  {
    clientSecret,
    name = v7(),
    serves = "ORGANIZATION" as IDPConfig["serves"],
    ...given
  }: {
    readonly clientSecret: string;
    readonly name?: string;
    readonly serves?: IDPConfig["serves"];
  } & Partial<OIDCProvider>,
): Promise<string> {
  const id = v7();
  const config = { name, serves, stylingType: "GOOGLE", autoRegister: true } as const;
  const sealed = server.keyring.seal(clientSecret, { stream: `idp-${id}`, field: "clientSecret" });
  return givenProvider(server, owner, id, [
    { type: "idp.config.added", payload: config },
    {
      type: "idp.oidc.config.added",
      payload: { ...smallestOIDC, ...given, clientSecret: sealed },
    },
  ]);
}

/** A JWT provider, which serves the whole instance, made without a call. */
export function givenJWTProvider(server: TestServer, owner: string, name = v7()): Promise<string> {
  return givenProvider(server, owner, v7(), [
    {
      type: "idp.config.added",
      payload: { name, serves: "INSTANCE", stylingType: "UNSPECIFIED", autoRegister: false },
    },
    { type: "idp.jwt.config.added", payload: smallestJWT },
  ]);
}

async function givenProvider(
  { execute }: TestServer,
  owner: string,
  id: string,
  events: readonly IDPEvent[],
): Promise<string> {
  const outcome = await execute({
    actor: "test",
    writes: { idp: { noun: idp, id, owner } },
    relies: {},
    decide: () => ({ events: { idp: events } }),
  });
  expect(outcome.kind).toBe("done");
  return id;
}
