import { createSecretKey } from "node:crypto";
import { expect, it } from "@jest/globals";
import { artifactsOfAlias, type KeptArtifact } from "../../src/store/artifact.ts";
import { createArtifactSeal } from "../../src/store/chain/artifact-mac.ts";
import type { Store } from "../../src/store/store.ts";
import { timeMs } from "./fixture.ts";
import { identity } from "./keys.ts";
import { openSingly } from "./singly.ts";

/** Where somebody writes who has no key. */
export interface ForgedPlace {
  open(): Promise<Store>;
  /** Changes the tables past the store; names need no schema. */
  run(sql: string): Promise<void>;
  /** Bytes as a literal. */
  bytes(hex: string): string;
}

const overMs = timeMs + 1_000;
const code = { key: "code", alias: "a", family: "f", payload: '{"of":"eve"}', expiresMs: overMs };
const none = { key: "none", payload: "", expiresMs: overMs };
const ofCode = "WHERE key = 'code'";
const columns = "alias, family, payload, expires, uses, mac";

/** Each forgery of `code`, which was used once. */
const forgeries: readonly (readonly [what: string, sql: string])[] = [
  ["used again", `UPDATE artifacts SET uses = 0 ${ofCode}`],
  ["of somebody else", `UPDATE artifacts SET payload = '{"of":"ada"}' ${ofCode}`],
  ["valid for longer", `UPDATE artifacts SET expires = expires + 1 ${ofCode}`],
  ["with another alias", `UPDATE artifacts SET alias = 'b' ${ofCode}`],
  ["without its alias", `UPDATE artifacts SET alias = NULL ${ofCode}`],
  ["of another family", `UPDATE artifacts SET family = 'g' ${ofCode}`],
  ["without its family", `UPDATE artifacts SET family = NULL ${ofCode}`],
  ["with its texts moved", `UPDATE artifacts SET alias = 'af', family = '' ${ofCode}`],
  [
    "put where another was, with its MAC",
    `DELETE FROM artifacts ${ofCode};
     INSERT INTO artifacts (key, ${columns}) SELECT 'code', ${columns} FROM artifacts
       WHERE key = 'other'`,
  ],
  ["with the MAC of another", `UPDATE artifacts SET mac = ${macOf("other")} ${ofCode}`],
  [
    "that nobody has kept",
    `DELETE FROM artifacts ${ofCode};
     INSERT INTO artifacts (key, ${columns}) SELECT 'code', ${columns} FROM artifacts
       WHERE key = 'none'`,
  ],
];

function macOf(key: string): string {
  return `(SELECT mac FROM artifacts WHERE key = '${key}')`;
}

/** Rows of artifacts that were not written by who has the key of the log. */
export function forgedArtifactCases(place: () => ForgedPlace): void {
  const given = async () => {
    const { artifacts } = await openSingly(place().open)();
    await artifacts.put(none);
    await artifacts.put({ ...code, key: "other" });
    await artifacts.put(code);
    expect([await artifacts.use("code", timeMs), await artifacts.use("other", timeMs)]).toEqual([
      1, 1,
    ]);
    return artifacts;
  };
  const forge = (sql: string) => place().run(sql);

  it.each(forgeries)("are not there: one %s", async (_what, sql) => {
    const artifacts = await given();
    await forge(sql);
    await forge("DELETE FROM artifacts WHERE key = 'other'");
    expect(await artifacts.find("code", timeMs)).toBeUndefined();
    for (const alias of ["a", "b", "af"]) {
      expect(await artifacts.findAlias(alias, timeMs)).toBeUndefined();
    }
    expect(await artifacts.use("code", timeMs)).toBe(0);
    await artifacts.giveBack("code", timeMs);
    expect(await artifacts.find("code", timeMs)).toBeUndefined();
    await artifacts.put(code);
    expect(await artifacts.find("code", timeMs)).toEqual({ ...code, uses: 0 });
  });

  it("are not there: one with a MAC that is empty, or of zeros, or by another key", async () => {
    const { artifacts } = await openSingly(place().open)();
    await artifacts.put(none);
    const ofOthers = [
      { id: "another", key: identity.key },
      { id: identity.id, key: createSecretKey(Buffer.alloc(32, 8)) },
    ].map((other) => createArtifactSeal(other).seal({ ...none, uses: 0 }).mac);
    const macs = [Buffer.alloc(0), Buffer.alloc(32), ...ofOthers];
    for (const mac of macs) {
      await forge(`UPDATE artifacts SET mac = ${place().bytes(Buffer.from(mac).toString("hex"))}`);
      expect(await artifacts.find("none", timeMs)).toBeUndefined();
    }
    const own = createArtifactSeal(identity).seal({ ...none, uses: 0 }).mac;
    await forge(`UPDATE artifacts SET mac = ${place().bytes(Buffer.from(own).toString("hex"))}`);
    expect(await artifacts.find("none", timeMs)).toEqual({ ...none, uses: 0 });
  });

  it("are counted anew: of what somebody has changed, nothing is known", async () => {
    const { artifacts } = await openSingly(place().open)();
    const count = () => artifacts.count("tries", overMs, timeMs);
    expect([await count(), await count(), await count()]).toEqual([1, 2, 3]);
    await forge("UPDATE artifacts SET uses = 1, expires = expires + 5");
    expect([await count(), await count()]).toEqual([1, 2]);
    expect(await artifacts.find("tries", timeMs)).toMatchObject({ expiresMs: overMs });
  });

  it("hide none that has the same alias, up to as many as are looked at", async () => {
    const artifacts = await given();
    const named = (): Promise<KeptArtifact | undefined> => artifacts.findAlias("a", timeMs);
    await artifacts.remove("other");
    const forgeNewer = (number: number) =>
      forge(`INSERT INTO artifacts (key, ${columns}) SELECT 'forged ${number}', alias, family,
        payload, expires + ${number}, uses, mac FROM artifacts ${ofCode}`);
    await forgeNewer(1);
    expect(await named()).toEqual({ ...code, uses: 1 });
    for (let number = 2; number < artifactsOfAlias; number += 1) await forgeNewer(number);
    expect(await named()).toEqual({ ...code, uses: 1 });
    await forgeNewer(artifactsOfAlias);
    expect(await named()).toBeUndefined();
  });
}
