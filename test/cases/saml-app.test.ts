import { expect } from "@jest/globals";
import type { AddSAMLAppResponse } from "../../gen/iam/management/v1/app_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { type Case, row, runCases } from "../harness/cases.ts";
import { givenOrganization, givenProject } from "../harness/server.ts";
import { entity } from "../saml/document.ts";
import { givenApp } from "./apps.ts";
import { documentOf, expectSAMLApp, type GivenSAML, samlStored, xml } from "./saml-apps.ts";
import { fact, granted } from "./stored.ts";

const { addSAMLApp, addAPIApp, addOIDCApp } = ManagementService.method;

function refused(name: string, given: GivenSAML, fields: readonly string[]): Case {
  return row(name, addSAMLApp, ({ project, unique }) => ({
    request: { projectId: project, name: unique, metadata: xml(documentOf(unique)), ...given },
    expected: { code: 3, reason: "INVALID_FIELDS", fields },
  }));
}

function named(name: string): Case {
  return row(`takes a name of 200 ${name.slice(0, 2)}`, addSAMLApp, (world) => {
    const { server, project: projectId, unique } = world;
    const document = documentOf(unique);
    return {
      request: { projectId, name, metadata: xml(document) },
      expected: {
        ok(message, events) {
          const config = { entityId: unique, metadataXml: document };
          expectSAMLApp(server, { projectId, name }, message, events, config);
        },
      },
    };
  });
}

const long = (id: string) => `${id}${"😀".repeat(1_024 - id.length)}`;

runCases("AddSAMLApp", [
  samlStored("stores the smallest document", documentOf),
  samlStored("stores characters of four bytes", (entityId) =>
    entity({ attributes: `entityID="${entityId}"`, after: "<!-- 😀 ﷺ \u{10fffd} -->" }),
  ),
  samlStored("stores white space and declarations as they are", (entityId) =>
    entity({
      attributes: `entityID="${entityId}"`,
      before: '<?xml version="1.0" encoding="utf-8"?>\r\n\t<!-- "a" \\ \u2028 -->\r',
      after: "\r\n \n",
    }),
  ),
  samlStored("stores a byte order mark", (entityId) => `\ufeff${documentOf(entityId)}`),
  samlStored("stores 700 kB", (entityId) =>
    entity({ attributes: `entityID="${entityId}"`, after: "\n".repeat(700_000) }),
  ),
  row("stores the document byte for byte", addSAMLApp, ({ project, unique }) => {
    const document = `\ufeff${documentOf(`${unique}-ü😀`)}\r\n`;
    return {
      request: { projectId: project, name: unique, metadata: xml(document) },
      expected: {
        ok(_message, [, config]) {
          const { metadataXml } = JSON.parse(config!.payload) as { metadataXml: string };
          expect(Buffer.from(metadataXml).equals(Buffer.from(document))).toBe(true);
        },
      },
    };
  }),
  row("answers the entity ID without its escapes", addSAMLApp, ({ project, unique }) => ({
    request: {
      projectId: project,
      name: unique,
      metadata: xml(documentOf(`https://sp.example.com/?a=1&amp;b=&#x32;&quot;${unique}`)),
    },
    expected: {
      ok({ entityId }, [, config]) {
        expect(entityId).toBe(`https://sp.example.com/?a=1&b=2"${unique}`);
        expect(fact(config!).payload).toMatchObject({ entityId });
      },
    },
  })),
  row("takes an entity ID of 1,024 characters", addSAMLApp, ({ project, unique }) => ({
    request: { projectId: project, name: unique, metadata: xml(documentOf(long(unique))) },
    expected: { ok: ({ entityId }) => expect(entityId).toBe(long(unique)) },
  })),

  named("n".repeat(200)),
  named("😀".repeat(200)),
  refused("refuses a name of white space", { name: " \t\u00a0" }, ["name"]),
  refused("refuses neither document nor URL", { metadata: { case: undefined } }, ["metadata"]),
  refused("lists everything that is missing", { name: "", metadata: { case: undefined } }, [
    "name",
    "metadata",
  ]),
]);

const nameTaken = {
  code: 6,
  reason: "NAME_TAKEN",
  message:
    "Another application of this project has this name (ignoring case). Choose a different one.",
};
const entityTaken = {
  code: 6,
  reason: "ENTITY_ID_TAKEN",
  message: "Another SAML application of the instance has this entity ID.",
};

runCases("names of SAML applications", [
  row("refuses a name that an OIDC application has", addSAMLApp, async (world) => {
    const { call, project: projectId, unique: name } = world;
    granted(await call(addOIDCApp, { projectId, name }));
    const metadata = xml(documentOf(name));
    return { request: { projectId, name: name.toUpperCase(), metadata }, expected: nameTaken };
  }),
  row("refuses a name that an API application has", addSAMLApp, async (world) => {
    const { call, project: projectId, unique: name } = world;
    granted(await call(addAPIApp, { projectId, name }));
    const metadata = xml(documentOf(name));
    return { request: { projectId, name: name.toUpperCase(), metadata }, expected: nameTaken };
  }),
  row("refuses the name of another SAML application", addSAMLApp, async (world) => {
    const { call, project: projectId, unique: name } = world;
    granted(await call(addSAMLApp, { projectId, name, metadata: xml(documentOf(name)) }));
    const metadata = xml(documentOf(`${name}-2`));
    return { request: { projectId, name: name.toUpperCase(), metadata }, expected: nameTaken };
  }),
  row("keeps the name from API applications", addAPIApp, async (world) => {
    const { call, project: projectId, unique: name } = world;
    granted(await call(addSAMLApp, { projectId, name, metadata: xml(documentOf(name)) }));
    return { request: { projectId, name }, expected: nameTaken };
  }),
  row("takes a name that another project has", addSAMLApp, async (world) => {
    const { server, project, unique: name } = world;
    const { organization } = server.admin;
    await givenApp(server, organization, await givenProject(server, organization), name);
    return {
      request: { projectId: project, name, metadata: xml(documentOf(name)) },
      expected: { ok: (_message, events) => expect(events).toHaveLength(2) },
    };
  }),
]);

runCases("entity IDs", [
  row("refuses one that another project has", addSAMLApp, async (world) => {
    const { call, server, project, unique: name } = world;
    const projectId = await givenProject(server, server.admin.organization);
    granted(await call(addSAMLApp, { projectId, name, metadata: xml(documentOf(name)) }));
    const metadata = xml(documentOf(name));
    return { request: { projectId: project, name, metadata }, expected: entityTaken };
  }),
  row("refuses one that another organization has", addSAMLApp, async (world) => {
    const { call, server, project, unique: name } = world;
    granted(await call(addSAMLApp, { projectId: project, name, metadata: xml(documentOf(name)) }));
    const other = await givenOrganization(server);
    return {
      request: {
        projectId: await givenProject(server, other),
        name,
        metadata: xml(documentOf(name)),
      },
      headers: { "x-service-orgid": other },
      expected: entityTaken,
    };
  }),
  row("refuses one that is written otherwise", addSAMLApp, async (world) => {
    const { call, project: projectId, unique } = world;
    const first = { projectId, name: `${unique} 1`, metadata: xml(documentOf(`${unique}&amp;`)) };
    granted(await call(addSAMLApp, first));
    const metadata = xml(documentOf(`${unique}&#38;`));
    return { request: { projectId, name: unique, metadata }, expected: entityTaken };
  }),
  row("tells them apart by case, as SAML does", addSAMLApp, async (world) => {
    const { call, project: projectId, unique } = world;
    const first = { projectId, name: `${unique} 1`, metadata: xml(documentOf(`a${unique}`)) };
    granted(await call(addSAMLApp, first));
    const metadata = xml(documentOf(`A${unique}`));
    return {
      request: { projectId, name: unique, metadata },
      expected: { ok: ({ entityId }) => expect(entityId).toBe(`A${unique}`) },
    };
  }),
  // CVE-2024-1722: a race over a uniqueness check.
  row("has one winner where many want it at once", addSAMLApp, async (world) => {
    const { call, server, unique } = world;
    const projects = await Promise.all(
      Array.from({ length: 4 }, () => givenProject(server, server.admin.organization)),
    );
    const before = await server.head();
    const metadata = xml(documentOf(unique));
    const answers = await Promise.all(
      projects.map((projectId) => call(addSAMLApp, { projectId, name: projectId, metadata })),
    );
    const won = answers.flatMap((answer) => (answer.ok ? [answer.message] : []));
    expect(answers.filter(({ ok }) => !ok)).toMatchObject([entityTaken, entityTaken, entityTaken]);
    const [{ appId }] = won as [AddSAMLAppResponse];
    const streams = (await server.events(before)).map(({ stream }) => stream);
    expect(streams).toEqual([`app-${appId}`, `app-${appId}`]);
    return { request: { projectId: world.project, name: unique, metadata }, expected: entityTaken };
  }),
]);
