import { expect, test } from "@jest/globals";
import { streamOf } from "../../src/domain/noun.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { startServer } from "../harness/server.ts";
import { callsTo } from "../start/database-place.ts";
import { change, givenHuman } from "./users.ts";

// Of several who erase one person at once, one does.

test.each([
  ["there", []],
  ["removed", [change("user.removed")]],
] as const)("a person who is %s is erased once, no matter who else asks", async (_how, events) => {
  const server = await startServer();
  try {
    const { post } = callsTo(server.url, server.admin.token);
    for (let round = 0; round < 5; round += 1) {
      const id = await givenHuman(server, server.admin.organization, {}, events);
      const reasons = ["a", "b", "c", "d"];
      const answers = await Promise.all(
        reasons.map((reason) => post(`/management/v1/users/${id}/_erase`, { reason })),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([200, 409, 409, 409]);
      const log = await server.store.readStream(streamOf(user, id), 0, 100);
      expect(log.filter(({ type }) => type === "user.erased")).toMatchObject([
        { payload: JSON.stringify({ reason: reasons[statuses.indexOf(200)] }) },
      ]);
    }
  } finally {
    await server.close();
  }
});
