import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { grant, grantsOf } from "../../src/domain/grant.ts";
import { streamOf } from "../../src/domain/noun.ts";
import { role, rolesIn } from "../../src/domain/role.ts";
import type { Claim } from "../../src/event.ts";
import {
  givenAskerOf,
  givenProjectOf,
  grantRoles,
  ownRoles,
  rolesSaid,
} from "../provider/granting.ts";
import { logIn, type Parties, startParties } from "../provider/relying.ts";

// Somebody moves the claims of roles and grants in the rows while the service runs, and has no key.

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

/** Has the row of a claim name another object of its kind. */
async function move({ kind, scope, value }: Claim, stream: string): Promise<void> {
  const [of, name] = kind.split(".");
  await parties.server.sql(`
    UPDATE texts SET first = (SELECT first FROM objects WHERE stream = '${stream}')
    WHERE text = '${value}' AND list = (SELECT number FROM lists
      WHERE kind = '${of}' AND name = '${name}' AND parent = '${scope}')`);
}

/** The stream that holds a claim, by its row. */
const holderOf = async (claim: Claim) => (await parties.server.store.find(claim)) ?? "";

test("a grant whose claim names somebody else gives that person nothing", async () => {
  const project = await givenProjectOf(parties, ["reader", "editor"], {
    projectRoleAssertion: true,
  });
  const [app, asker] = [await parties.givenApp({}, project), await givenAskerOf(parties, project)];
  const [low, editor] = [await parties.givenPerson(), await parties.givenPerson()];
  const path = await grantRoles(parties, editor, project, ["editor"]);
  await grantRoles(parties, low, project, ["reader"]);
  const { access_token: token } = await logIn(parties.browser(), app, low);
  const { organization } = parties.server.admin;
  expect(rolesSaid(await asker(token))).toEqual(ownRoles(project, organization, ["reader"]));

  const claim = { ...grantsOf(low.userId), value: project };
  const better = streamOf(grant, path.split("/").at(-1) ?? "");
  await move(claim, better);
  expect(await holderOf(claim)).toBe(better);
  expect(rolesSaid(await asker(token))).toEqual({});
  const queries = [{ userIdQuery: { userId: low.userId } }];
  const listed = await parties.call("POST", "/management/v1/users/grants/_search", { queries });
  expect(listed).not.toHaveProperty("result.0");
});

test("a key that names another role gives nobody that", async () => {
  const project = await givenProjectOf(parties, ["reader", "editor"]);
  const claimOf = (key: string): Claim => ({ ...rolesIn(project), value: key });
  const editor = await holderOf(claimOf("editor"));
  expect(editor).toMatch(new RegExp(`^${streamOf(role, "")}`));
  await move(claimOf("reader"), editor);
  expect(await holderOf(claimOf("reader"))).toBe(editor);
  const person = await parties.givenPerson();
  await expect(grantRoles(parties, person, project, ["reader"])).rejects.toThrow(
    "PROJECT_ROLE_NOT_FOUND",
  );
});
