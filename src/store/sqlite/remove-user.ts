import type Database from "better-sqlite3";
import { ofUser } from "../artifact.ts";

/**
 * Makes the function that takes away what is kept of a user beside the log, in the transaction that
 * it is called in: see `Append.users`.
 */
export function prepareRemoveUser(db: Database.Database): (userId: string) => void {
  const answers = db.prepare<[string]>("DELETE FROM answers WHERE caller = ?");
  const artifacts = db.prepare<{ of: string }>(
    `DELETE FROM artifacts
       WHERE family = @of OR family IN (SELECT family FROM artifacts WHERE alias = @of)`,
  );
  return (userId) => {
    answers.run(userId);
    artifacts.run({ of: ofUser(userId) });
  };
}
