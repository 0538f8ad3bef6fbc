import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenUser, type TestServer } from "../harness/server.ts";
import {
  type GivenHuman,
  givenIDP,
  humanRefused,
  humanStored,
  requestFor,
  type Told,
  told,
} from "./humans.ts";
import { fact } from "./stored.ts";

/** accounts at providers, login names, and where people are created. */

const { importHumanUser, addMachineUser } = ManagementService.method;

const linkTaken = {
  code: 6,
  reason: "IDP_LINK_TAKEN",
  message: "Another user is linked to this account at the identity provider.",
};
const notUsable = {
  code: 9,
  reason: "IDP_NOT_USABLE",
  message: "An identity provider does not exist, or is not available to the organization.",
};
const nameTaken = { code: 6, reason: "NAME_TAKEN" };

runCases("ImportHumanUser: links", [
  linked("to a provider of the organization", givenOwn),
  linked("to a provider that serves the instance", (server) =>
    givenIDP(server, server.admin.organization, "INSTANCE"),
  ),
  linked("to one that another organization owns and that serves the instance", async (server) =>
    givenIDP(server, await givenOrganization(server), "INSTANCE"),
  ),
  unusable("an unknown provider", ({ unique }) => unique),
  unusable("another organization's provider", async ({ server }) =>
    givenIDP(server, await givenOrganization(server), "ORGANIZATION"),
  ),
  unusable("the id of a user", ({ server }) => server.admin.userId),
  ...["user", "caller", "__proto__", "constructor", "idp-user", "a/b %2F ü"].map((id) =>
    unusable(`a provider called ${id}`, () => id),
  ),
  row("refuses an unusable provider among others", importHumanUser, async (world) => ({
    request: requestFor(world, {
      idps: [account(await givenOwn(world.server)), account(world.unique)],
    }),
    expected: notUsable,
  })),

  humanStored(
    "links several accounts, in their order",
    async ({ server }) => {
      const [a, b] = [await givenOwn(server), await givenOwn(server)];
      return { idps: [account(a, "x"), account(b, "x"), account(a, "X"), account(a, "y")] };
    },
    {},
    [
      told.initialization,
      ...["x", "x", "X", "y"].map((externalUserId): Told => {
        const payload = { idpId: expect.any(String), externalUserId, displayName: "" };
        return ["user.human.externalidp.added", payload];
      }),
    ],
  ),
  row("takes 100 accounts", importHumanUser, async (world) => ({
    request: requestFor(world, { idps: accounts(await givenOwn(world.server), 100) }),
    expected: { ok: (_message, events) => expect(events).toHaveLength(102) },
  })),
  humanRefused("refuses 101 accounts", { idps: accounts("a", 101) }, "idps"),
  humanRefused(
    "refuses an account twice",
    { idps: [account("a", "x"), account("b", "x"), account("a", "x"), account("a", "x")] },
    ["idps[2]", "idps[3]"],
  ),
  humanRefused(
    "says why an account twice is refused",
    { idps: [account("a", "x"), account("a", "x")] },
    "idps[1]",
    "must not repeat an account from earlier in the list",
  ),

  ...(["configId", "externalUserId", "displayName"] as const).map((field) =>
    row(`takes 200 characters of four bytes as ${field}`, importHumanUser, (world) => ({
      request: requestFor(world, {
        idps: [{ ...account("a", "x"), [field]: "😀".repeat(200) }],
      }),
      expected: notUsable,
    })),
  ),
  humanRefused("refuses an empty account", { idps: [{}] }, [
    "idps[0].config_id",
    "idps[0].external_user_id",
  ]),

  row("refuses an account that is linked", importHumanUser, async (world) => {
    const idps = [account(await givenOwn(world.server), "x")];
    await given(world, { userName: `${world.unique} before`, idps });
    return { request: requestFor(world, { idps }), expected: linkTaken };
  }),
  row("refuses it next to free ones, and links none of them", importHumanUser, async (world) => {
    const idpId = await givenOwn(world.server);
    await given(world, { userName: `${world.unique} before`, idps: [account(idpId, "x")] });
    const idps = [account(idpId, "a"), account(idpId, "x"), account(idpId, "b")];
    expect(await world.call(importHumanUser, requestFor(world, { idps }))).toMatchObject({
      ok: false,
      ...linkTaken,
    });
    return {
      request: requestFor(world, { idps: [account(idpId, "a"), account(idpId, "b")] }),
      expected: { ok: (_message, events) => expect(events).toHaveLength(4) },
    };
  }),
  row(
    "refuses an account that is linked in another organization",
    importHumanUser,
    async (world) => {
      const { server, unique } = world;
      const idps = [account(await givenIDP(server, server.admin.organization, "INSTANCE"), "x")];
      await given(world, { userName: `${unique} before`, idps });
      return {
        request: requestFor(world, { idps }),
        headers: { "x-service-orgid": await givenOrganization(server) },
        expected: linkTaken,
      };
    },
  ),
  row("tells accounts apart by case", importHumanUser, async (world) => {
    const idpId = await givenOwn(world.server);
    await given(world, { userName: `${world.unique} before`, idps: [account(idpId, "ada")] });
    return {
      request: requestFor(world, { idps: [account(idpId, "Ada")] }),
      expected: { ok: (_message, events) => expect(events).toHaveLength(3) },
    };
  }),

  row("refuses a login name of the organization", importHumanUser, async (world) => {
    await given(world, {});
    return { request: requestFor(world), expected: nameTaken };
  }),
  row("refuses it in any case and form", importHumanUser, async (world) => {
    await given(world, { userName: `ǰ ﬁ Å ${world.unique}` });
    const userName = `ǰ FI A\u030a ${world.unique.toUpperCase()}`;
    return { request: requestFor(world, { userName }), expected: nameTaken };
  }),
  row("refuses a login name of another organization", importHumanUser, async (world) => {
    await given(world, {});
    return {
      request: requestFor(world),
      headers: { "x-service-orgid": await givenOrganization(world.server) },
      expected: nameTaken,
    };
  }),
  row("refuses the login name of a machine", importHumanUser, async (world) => {
    const machine = await givenUser(world.server, world.server.admin.organization);
    return { request: requestFor(world, { userName: machine.userId }), expected: nameTaken };
  }),
  row("refuses machines the login name of a person", addMachineUser, async (world) => {
    await given(world, {});
    return { request: { userName: world.unique, name: "a" }, expected: nameTaken };
  }),
  row("of two with one login name at once takes one", importHumanUser, async (world) => {
    const answers = await Promise.all(
      [1, 2, 3].map(() => world.call(importHumanUser, requestFor(world))),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    return { request: requestFor(world), expected: nameTaken };
  }),
  row("of two with one account at once takes one", importHumanUser, async (world) => {
    const idps = [account(await givenOwn(world.server), "x")];
    const answers = await Promise.all(
      ["a", "b", "c"].map((name) =>
        world.call(importHumanUser, requestFor(world, { userName: world.unique + name, idps })),
      ),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    return { request: requestFor(world, { idps }), expected: linkTaken };
  }),

  row(
    "creates people of the organization that the header names",
    importHumanUser,
    async (world) => {
      const organization = await givenOrganization(world.server);
      const idpId = await givenIDP(world.server, organization, "ORGANIZATION");
      return {
        request: requestFor(world, {
          idps: [account(idpId, "x")],
          requestPasswordlessRegistration: true,
        }),
        headers: { "x-service-orgid": organization },
        expected: {
          ok({ details, passwordlessRegistration }, events) {
            expect(events.map(({ owner }) => owner)).toEqual(events.map(() => organization));
            expect(details?.resourceOwner).toBe(organization);
            expect(passwordlessRegistration?.link).toContain(`orgID=${organization}&`);
          },
        },
      };
    },
  ),
  row("refuses a provider of the caller's organization there", importHumanUser, async (world) => ({
    request: requestFor(world, { idps: [account(await givenOwn(world.server))] }),
    headers: { "x-service-orgid": await givenOrganization(world.server) },
    expected: notUsable,
  })),
  row("is open to who manages users", importHumanUser, async (world) => {
    const { organization } = world.server.admin;
    const scope = { level: "organization", organization } as const;
    const roles = ["ORG_USER_MANAGER"] as const;
    const { token, userId } = await givenUser(world.server, organization, [{ scope, roles }]);
    return {
      request: requestFor(world, { phone: { phone: "+41446681800", isPhoneVerified: true } }),
      token,
      expected: { ok: (_message, [event]) => expect(fact(event!).actor).toBe(userId) },
    };
  }),
]);

function account(configId: string, externalUserId = "ada") {
  return { configId, externalUserId };
}

function accounts(configId: string, count: number) {
  return Array.from({ length: count }, (_, index) => account(configId, `user ${index}`));
}

function givenOwn(server: TestServer): Promise<string> {
  return givenIDP(server, server.admin.organization, "ORGANIZATION");
}

async function given(world: World, human: GivenHuman): Promise<void> {
  expect(await world.call(importHumanUser, requestFor(world, human))).toMatchObject({ ok: true });
}

function linked(title: string, idpOf: (server: TestServer) => Promise<string>) {
  return row(`links a person ${title}`, importHumanUser, async (world) => {
    const idpId = await idpOf(world.server);
    const idps = [{ ...account(idpId, "Ada/1"), displayName: "Ada at work" }];
    return {
      request: requestFor(world, { idps }),
      expected: {
        ok(_message, events) {
          expect(events.map(({ type }) => type)).toEqual([
            "user.human.added",
            "user.human.initialization.code.added",
            "user.human.externalidp.added",
          ]);
          const payload = { idpId, externalUserId: "Ada/1", displayName: "Ada at work" };
          expect(fact(events[2]!).payload).toEqual(payload);
        },
      },
    };
  });
}

function unusable(what: string, idOf: (world: World) => string | Promise<string>) {
  return row(`refuses ${what}`, importHumanUser, async (world) => ({
    request: requestFor(world, { idps: [account(await idOf(world))] }),
    expected: notUsable,
  }));
}
