import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { projector } from "../../src/log/projector.ts";
import { callingOf } from "../cases/phones.ts";
import { happen } from "../cases/users.ts";
import { createClients, type TestClient } from "../harness/clients.ts";
import { startServer, type TestServer } from "../harness/server.ts";

// Names that people take for another name, or for none.

const { addMachineUser, addOrg, importHumanUser } = ManagementService.method;

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  client = createClients(server.url)[0]!;
});

afterAll(async () => {
  client.close();
  await server.close();
});

/** The reason why there can be no user, person and organization of that name, or OK. */
async function outcomes(name: string): Promise<readonly string[]> {
  const { call } = callingOf(server, client);
  const profile = { firstName: "Ada", lastName: "Lovelace" };
  const email = { email: "ada@example.com" };
  const answers = [
    await call(addOrg, { name }),
    await call(addMachineUser, { userName: name, name: "robot" }),
    await call(importHumanUser, { userName: name, profile, email }),
  ];
  return answers.map((answer) => (answer.ok ? "OK" : answer.reason));
}

const taken = ["NAME_TAKEN", "NAME_TAKEN", "NAME_TAKEN"];

describe("a name that looks like one that is there", () => {
  test.each([
    ["with a Cyrillic a", (name: string) => name.replace("a", "\u0430")],
    ["with a dotless i", (name: string) => name.replace("i", "\u0131")],
    ["in wide letters", (name: string) => name.replace("a", "\uff41")],
    ["with a Greek capital M", (name: string) => name.replace("m", "\u039c")],
    ["with a Cherokee capital A", (name: string) => name.replace("a", "\u13aa")],
    ["with a letter that has no case", (name: string) => name.replace("n", "\ua4e0")],
    ["with blanks around it", (name: string) => `  ${name}\u00a0`],
  ])("%s is taken", async (_, disguised) => {
    const name = `admin-${v7()}`;
    expect(await outcomes(name)).toEqual(["OK", "OK", "NAME_TAKEN"]);
    expect(await outcomes(disguised(name))).toEqual(taken);
  });

  test("is taken where that one is the disguised one", async () => {
    const name = `admin-${v7()}`;
    expect(await outcomes(name.replace("a", "\u0430"))).toEqual(["OK", "OK", "NAME_TAKEN"]);
    expect(await outcomes(name)).toEqual(taken);
    expect(await outcomes(name.replace("a", "\u0430"))).toEqual(taken);
  });

  test("is not taken in ASCII: letters and digits stay apart", async () => {
    const id = v7();
    expect((await outcomes(`user1 ${id}`)).slice(0, 2)).toEqual(["OK", "OK"]);
    expect((await outcomes(`userl ${id}`)).slice(0, 2)).toEqual(["OK", "OK"]);
  });

  test("that was recorded before keeps its claim, and nobody else gets that name", async () => {
    const { organization } = server.admin;
    const id = v7();
    const [plain, before] = [`admin-${id}`, `\u0430dmin-${id}`];
    const rest = { name: "robot", description: "", accessTokenType: "BEARER" } as const;
    const type = "user.machine.added";
    const old = await happen(server, [{ type, payload: { userName: before, ...rest } }], {
      owner: organization,
    });
    const events = await server.store.readStream(`user-${old}`, 0, 9);
    expect(projector.project(events).claims).toEqual([
      { kind: "user.name", scope: "", value: before },
    ]);
    expect((await outcomes(before))[1]).toBe("NAME_TAKEN");
    expect((await outcomes(plain))[1]).toBe("OK");
  });
});

describe("a name that shows nothing, or another one", () => {
  test.each([["\u202enimda"], ["x\u2066y"], ["\u2800"], ["a\u3164"], ["a\u200fb"], ["\ufff9a"]])(
    "is refused: %j",
    async (name) => {
      expect(await outcomes(name)).toEqual(["INVALID_FIELDS", "INVALID_FIELDS", "INVALID_FIELDS"]);
    },
  );
});

test("a user name is stored without blanks at its ends", async () => {
  const userName = v7();
  expect((await outcomes(`\u3000 ${userName} `)).slice(1)).toEqual(["OK", "NAME_TAKEN"]);
  const added = (await server.events(0n)).findLast(({ type }) => type === "user.machine.added");
  expect(JSON.parse(added!.payload)).toMatchObject({ userName });
});
