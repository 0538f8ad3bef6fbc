import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { createArtifactSeal } from "../../src/store/chain/artifact-mac.ts";
import { createArtifacts } from "../../src/store/postgres/artifacts.ts";
import { postgresLimits } from "../../src/store/postgres/limits.ts";
import { floor, migrations } from "../../src/store/postgres/migrations.ts";
import { createPool } from "../../src/store/postgres/pool.ts";
import { StoreUnavailable } from "../../src/store/store.ts";
import { forgedArtifactCases } from "./artifact-forged.ts";
import { things, timeMs } from "./fixture.ts";
import { identity } from "./keys.ts";
import { describeOnPostgres, type PostgresPlace, postgresPlace } from "./postgres-place.ts";
import { singly } from "./singly.ts";

const overMs = timeMs + 1_000;
let place: PostgresPlace;
let other: pg.Client;

describeOnPostgres("in a database", () => {
  beforeAll(async () => {
    place = await postgresPlace();
    other = new pg.Client({ connectionString: place.url, options: "-csearch_path=iam" });
    await other.connect();
  });
  afterEach(() => other.query("DELETE FROM artifacts"));
  afterAll(async () => {
    await other.end();
    await place.remove();
  });

  describe("rows of artifacts that somebody has forged", () => {
    forgedArtifactCases(() => ({
      open: () => place.open(),
      run: async (sql) => void (await other.query(sql)),
      bytes: (hex) => `'\\x${hex}'`,
    }));
  });

  it("artifacts of a program that kept them without a MAC are lost", async () => {
    await (await place.open()).close();
    await other.query(`
      DROP SCHEMA iam, iam_r1 CASCADE;
      ${migrations[0]}
      INSERT INTO schema VALUES (${floor});
      INSERT INTO artifacts VALUES ('code', NULL, NULL, '{}', ${timeMs + 1}, 0);
    `);
    const { artifacts } = await place.open();
    expect(await artifacts.find("code", timeMs)).toBeUndefined();
    expect((await other.query("SELECT * FROM artifacts")).rows).toEqual([]);
  });

  it("a change is tried anew that the database gave up for others", async () => {
    const artifacts = singly((await place.open()).artifacts);
    await other.query(`
      CREATE SEQUENCE public.tried;
      CREATE FUNCTION public.give_up() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF nextval('public.tried') = 1 THEN RAISE 'deadlock' USING ERRCODE = '40P01'; END IF;
          RETURN NEW;
        END $$;
      CREATE TRIGGER give_up BEFORE INSERT ON artifacts
        FOR EACH ROW EXECUTE FUNCTION public.give_up()`);
    expect(await artifacts.count("tries", overMs, timeMs)).toBe(1);
    expect((await other.query("SELECT last_value FROM public.tried")).rows[0].last_value).toBe("2");
    await other.query("DROP FUNCTION public.give_up CASCADE; DROP SEQUENCE public.tried");
  });

  it("a change is tried anew while others are faster, so often and not once more", async () => {
    const artifacts = singly((await place.open()).artifacts);
    const limits = { ...postgresLimits, artifactTries: 3 };
    const pool = createPool(place.url, limits, things().revision);
    /** How often another node is faster yet. */
    let faster = 0;
    const slowly = createArtifacts(
      {
        query: async (text, values) => {
          const isFaster = /INSERT|UPDATE/.test(text) && faster > 0;
          if (isFaster) await artifacts.count("tries", overMs, timeMs);
          faster -= isFaster ? 1 : 0;
          return await pool.query(text, values);
        },
      },
      { ...createArtifactSeal(identity), limits },
    );
    const slow = singly(slowly);
    const count = (losing: number) => {
      faster = losing;
      return slow.count("tries", overMs, timeMs);
    };
    expect(await count(2)).toBe(3);
    await expect(count(3)).rejects.toThrow(StoreUnavailable);
    expect(await count(0)).toBe(7);
    await artifacts.remove("tries");
    faster = 1;
    await slow.put({ key: "tries", payload: "kept", expiresMs: overMs });
    expect(await artifacts.find("tries", timeMs)).toMatchObject({ payload: "kept", uses: 1 });
    // All of a write, or nothing: what went by in part is not there a second time.
    await artifacts.put({ key: "old", family: "login", payload: "", expiresMs: overMs });
    const [other, tries] = ["other", "tries"].map(
      (key) => ({ kind: "count", key, expiresMs: overMs }) as const,
    );
    faster = 2;
    const remove = { kind: "removeFamily", family: "login" } as const;
    expect(await slowly.write([other!, tries!, remove], timeMs)).toEqual([1, 4, 0]);
    expect(await artifacts.find("old", timeMs)).toBeUndefined();
    faster = 3;
    await expect(slowly.write([other!, tries!], timeMs)).rejects.toThrow(StoreUnavailable);
    expect(await artifacts.find("other", timeMs)).toMatchObject({ uses: 1 });
    await pool.close();
  });
});
