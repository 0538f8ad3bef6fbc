import Database from "better-sqlite3";
import { logIn } from "../../src/log/in-file.ts";
import { type Effect, type Forgery, lowOwns, sqlOf, text } from "./forgery.ts";
import { call } from "./life.ts";
import type { Scene } from "./stage.ts";

/** Whether a call is answered with success, and nothing of it is in the log. */
const isSwallowed: Effect = async ({ life, sql }, url) => {
  const path = "/management/v1/projects";
  const { status } = await call(url, life.admin, "POST", path, { name: "Swallowed" });
  const found = await sql("SELECT 1 FROM events WHERE payload LIKE '%Swallowed%'");
  return status === 200 && found.length === 0;
};

/** Whether calls fail, and nobody says that the log was changed. */
const isRefused: Effect = async ({ life }, url) => {
  const add = (name: string) => call(url, life.admin, "POST", "/management/v1/projects", { name });
  const answers = [await add("Refused"), await add("Refused again")];
  return answers.some(
    ({ status, body }) => status !== 200 && !JSON.stringify(body).includes("HISTORY_CHANGED"),
  );
};

/** Changes what SQLite makes a table by, and has those that have the file open read it anew. */
function addCheck({ dataDir }: Scene): void {
  const db = new Database(logIn(dataDir), { timeout: 5_000 });
  db.unsafeMode(true);
  db.exec(`PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = replace(sql, 'type TEXT NOT NULL',
      'type TEXT NOT NULL CHECK (type <> ''project.added'')') WHERE name = 'events'`);
  db.pragma(`schema_version = ${Number(db.pragma("schema_version", { simple: true })) + 1}`);
  db.close();
}

/** What somebody puts beside rows that changes or refuses what is written. */
export const tableRows: readonly Forgery[] = [
  {
    name: "a trigger that leaves events out",
    of: "file",
    forge: sqlOf(
      text(`CREATE TRIGGER evil BEFORE INSERT ON events WHEN new.type = 'project.added'
        BEGIN SELECT RAISE(IGNORE); END`),
    ),
    effect: isSwallowed,
    documented: true,
  },
  {
    name: "a unique index that refuses events",
    of: "file",
    forge: sqlOf(
      () => `CREATE UNIQUE INDEX evil ON events (type)
        WHERE type = 'project.added' AND time > ${Date.now()}`,
    ),
    effect: isRefused,
    documented: true,
  },
  {
    name: "a check that refuses events",
    of: "file",
    forge: async (scene) => addCheck(scene),
    effect: isRefused,
    documented: true,
  },
  {
    name: "an index that looks like a plain one",
    of: "file",
    forge: sqlOf(
      () => `CREATE INDEX "a--" ON events (CASE WHEN type = 'project.added'
        AND time > ${Date.now()} THEN abs(-9223372036854775807 - 1) END) /*
        ON events (owner)`,
    ),
    effect: isRefused,
    documented: true,
  },
  {
    name: "a trigger behind another schema",
    of: "file",
    forge: sqlOf(
      text(`CREATE TRIGGER evil BEFORE INSERT ON events WHEN new.type = 'project.added'
        BEGIN SELECT RAISE(IGNORE); END`),
      text("PRAGMA user_version = 99"),
    ),
    effect: isRefused,
    documented: true,
  },
  {
    name: "a trigger that leaves events out",
    of: "database",
    forge: sqlOf(
      text(`CREATE FUNCTION evil() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN RETURN NULL; END'`),
      text("CREATE TRIGGER evil BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION evil()"),
    ),
    undo: ({ sql }) => sql("DROP TRIGGER evil ON events", "DROP FUNCTION evil"),
    effect: isSwallowed,
    documented: true,
  },
  {
    name: "a unique index that refuses events",
    of: "database",
    forge: sqlOf(
      () => `CREATE UNIQUE INDEX evil ON events (type)
        WHERE type = 'project.added' AND time > ${Date.now()}`,
    ),
    undo: ({ sql }) => sql("DROP INDEX evil"),
    effect: isRefused,
    documented: true,
  },
  {
    name: "a check that refuses events",
    of: "database",
    forge: sqlOf(
      text("ALTER TABLE events ADD CONSTRAINT evil CHECK (type <> 'project.added') NOT VALID"),
    ),
    undo: ({ sql }) => sql("ALTER TABLE events DROP CONSTRAINT evil"),
    effect: isRefused,
    documented: true,
  },
  {
    name: "row security that keeps artifacts",
    of: "database",
    forge: sqlOf(
      text("ALTER TABLE artifacts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"),
      text("CREATE POLICY evil ON artifacts FOR SELECT USING (true)"),
    ),
    undo: ({ sql }) =>
      sql(
        "DROP POLICY evil ON artifacts",
        "ALTER TABLE artifacts DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY",
      ),
    effect: lowOwns,
  },
  {
    name: "a rule on artifacts",
    of: "database",
    forge: sqlOf(text("CREATE RULE evil AS ON DELETE TO artifacts DO INSTEAD NOTHING")),
    undo: ({ sql }) => sql("DROP RULE evil ON artifacts"),
    effect: lowOwns,
  },
];
