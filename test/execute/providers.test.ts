import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { idp } from "../../src/domain/idp.ts";
import { instanceId } from "../../src/domain/instance.ts";
import { findUsableAmong, findUsableProviders } from "../../src/execute/providers.ts";
import { createObjects } from "../../src/store/objects.ts";
import { recorded } from "../cases/given.ts";
import { givenIDP } from "../cases/humans.ts";
import { clear, recordedOrg } from "../cases/orgs.ts";
import { givenDefaults, givenLogin, naming } from "../cases/policies.ts";
import { givenOrganization, startServer, type TestServer } from "../harness/server.ts";

let server: TestServer;
let instance: readonly string[];
let reads: Parameters<typeof findUsableProviders>[0];

beforeAll(async () => {
  server = await startServer();
  reads = { store: server.store, objects: createObjects(server.store) };
  const { organization } = server.admin;
  instance = [
    await givenIDP(server, organization, "INSTANCE"),
    await givenIDP(server, organization, "INSTANCE"),
  ];
});
afterAll(() => server.close());

const offered = async (organization: string | undefined, limit?: number) =>
  (await findUsableProviders(reads, organization, limit)).map(({ id }) => id);

describe("the providers that a login offers", () => {
  test("are its own and those of the instance, without a policy of its own", async () => {
    await givenDefaults(server);
    const organization = await givenOrganization(server);
    const own = await givenIDP(server, organization, "ORGANIZATION");
    await givenIDP(server, await givenOrganization(server), "ORGANIZATION");
    expect(await offered(organization)).toEqual([...instance, own]);
    expect(await offered(undefined)).toEqual(instance);
  });

  test("are so many of the oldest of either", async () => {
    await givenDefaults(server);
    const organization = await givenOrganization(server);
    const own = [
      await givenIDP(server, organization, "ORGANIZATION"),
      await givenIDP(server, organization, "ORGANIZATION"),
    ];
    expect(await offered(organization, 2)).toEqual([...instance, ...own]);
    expect(await offered(organization, 1)).toEqual([instance[0], own[0]]);
  });

  test("are those that the default names, and its own", async () => {
    await givenDefaults(server);
    const organization = await givenOrganization(server);
    const own = await givenIDP(server, organization, "ORGANIZATION");
    await naming(server, instanceId, [instance[1]!]);
    expect(await offered(organization)).toEqual([instance[1], own]);
    expect(await offered(undefined)).toEqual([instance[1]]);
    await givenDefaults(server);
  });

  test("are those that its policy names, however many there are before them", async () => {
    const organization = await givenLogin(server);
    await givenIDP(server, organization, "ORGANIZATION");
    const named = await givenIDP(server, organization, "ORGANIZATION");
    await naming(server, organization, [named, instance[0]!]);
    expect(await offered(organization, 1)).toEqual([named, instance[0]]);
  });

  test("are not those of an organization that is not in use, or gone", async () => {
    const [owner, organization] = [await givenOrganization(server), await givenLogin(server)];
    const id = await givenIDP(server, owner, "INSTANCE");
    await naming(server, organization, [id]);
    expect(await offered(organization)).toEqual([id]);
    await recordedOrg(server, owner, { type: "org.deactivated", payload: {} });
    expect(await offered(organization)).toEqual([]);
    await recordedOrg(server, owner, { type: "org.reactivated", payload: {} });
    expect(await offered(organization)).toEqual([id]);
    await recorded(server, idp, owner, [{ type: "idp.removed", payload: {} }], id);
    expect(await offered(organization)).toEqual([]);
  });

  test("leave the policies once they are removed", async () => {
    const organization = await givenLogin(server);
    const [gone, stays] = [
      await givenIDP(server, organization, "ORGANIZATION"),
      await givenIDP(server, organization, "ORGANIZATION"),
    ];
    await naming(server, organization, [gone, stays]);
    await recorded(server, idp, organization, [{ type: "idp.removed", payload: {} }], gone);
    await clear(server);
    const [stored] = await server.store.load([`loginPolicy-${organization}`]);
    expect(JSON.parse(stored?.state ?? "").idps).toEqual([stays]);
  });

  test("are never those of another organization, whatever is named", async () => {
    const [owner, organization] = [await givenOrganization(server), await givenLogin(server)];
    const id = await givenIDP(server, owner, "ORGANIZATION");
    await naming(server, organization, [id]);
    expect(await offered(organization)).toEqual([]);
    expect(await findUsableAmong(reads, organization, [id])).toEqual([]);
  });
});
