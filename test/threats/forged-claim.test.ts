import { expect } from "@jest/globals";
import Database from "better-sqlite3";
import { logIn } from "../../src/log/in-file.ts";
import { few } from "../harness/in-full.ts";
import { viewTexts } from "../harness/texts.ts";
import { fixtures, upgraded } from "../upgrade/fixture.ts";

// Somebody moves claims in the file while the service runs on it, and has no key.

/** Every kind that there is. */
const kinds = [
  ...["action.name", "app.client", "app.entity", "app.name", "idp.name", "instance.owner"],
  ...["org.name", "project.name", "user.beyond", "user.email", "user.externalidp"],
  ...["user.membership", "user.name", "user.passkey", "user.token"],
];
/** What a claim is moved to, whatever its kind is. */
const elsewhere = [
  ["the first owner", "(SELECT stream FROM claims WHERE kind = 'instance.owner')"],
  ["a project", "(SELECT min(stream) FROM objects WHERE kind = 'project')"],
  ["nobody", "'user-gone'"],
] as const;

few().each(elsewhere)("claims that are moved to %s let nobody in and name nobody", (_to, stream) =>
  upgraded(fixtures[0]!, async ({ call, dataDir }) => {
    const { reads, ids, secrets } = fixtures[0]!;
    const project = `/management/v1/projects/${ids.firstProject}`;
    // Whose the token of the first start is, the service knows from here on.
    expect((await call("GET", project)).status).toBe(200);
    const db = viewTexts(new Database(logIn(dataDir)));
    const found = db.prepare("SELECT DISTINCT kind FROM claims ORDER BY kind").pluck().all();
    expect(found).toEqual(kinds);
    db.exec(`CREATE TEMP TABLE there AS SELECT ${stream} AS stream;
      UPDATE claims SET stream = (SELECT stream FROM there)`);
    db.close();

    const robot = await call("GET", project, undefined, { token: secrets.robot! });
    expect(robot).toMatchObject({ status: 401, reason: "UNAUTHENTICATED" });
    for (const { verb, path, body, organization, answer } of reads) {
      const read = await call(verb, path, body, { organization });
      expect({ path, ...read }).toMatchObject({ path, status: 200, body: answer });
    }
  }),
);
