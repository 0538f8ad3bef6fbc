import { ConfigError, labelOf, settings } from "../../config/config.ts";
import { orRefused } from "../../log/maintain.ts";
import type { Command } from "./command.ts";

/** Makes the tables of a log in a database, or brings them up to date. */
export const migrateCommand: Command = {
  flags: { role: "NAME" },
  meaning:
    "makes the tables of a log in a database, or brings them up to date, as a role that may. " +
    "--role lets another role serve on them, which may then append events and change none. It " +
    "needs no key. A file is brought up to date by the next start.",
  async run({ databaseUrl }, { flags: { role }, say }) {
    if (databaseUrl === "") {
      throw new ConfigError(`migrate is for a database: give ${labelOf(settings.databaseUrl)}`);
    }
    const { migrateDatabase } = await import("../../store/postgres/database.ts");
    await orRefused("in the database cannot be migrated", migrateDatabase(databaseUrl, role));
    say("The tables in the database are up to date.");
    if (role !== undefined) say(`The role ${role} may serve on them.`);
    return 0;
  },
};
