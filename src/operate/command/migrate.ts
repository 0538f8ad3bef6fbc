import { ConfigError, labelOf } from "../../config/config.ts";
import { settings } from "../../config/settings.ts";
import { orRefused } from "../../log/maintain.ts";
import type { Command } from "./command.ts";

/** Makes the tables of a log in a database, or brings them up to date. */
export const migrateCommand: Command = {
  flags: { role: "NAME" },
  meaning:
    "creates or upgrades the tables of a log in a database, with a role that has the " +
    "privilege. --role lets another role serve: it may append events, but not change them. " +
    "It needs no key. A log in a file is upgraded by the next start.",
  async run({ databaseUrl }, { flags: { role }, say }) {
    if (databaseUrl === "") {
      throw new ConfigError(`migrate is for a database: give ${labelOf(settings.databaseUrl)}`);
    }
    const { migrateDatabase } = await import("../../store/postgres/database.ts");
    await orRefused("in the database cannot be migrated", migrateDatabase(databaseUrl, role));
    say("The tables in the database are up to date.");
    if (role !== undefined) say(`The role ${role} may now serve.`);
    return 0;
  },
};
