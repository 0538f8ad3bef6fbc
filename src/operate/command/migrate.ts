import { ConfigError, labelOf } from "../../config/config.ts";
import { settings } from "../../config/settings.ts";
import { findLog } from "../../log/find.ts";
import { orRefused } from "../../log/maintain.ts";
import { projector } from "../../log/projector.ts";
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
    const migrating = migrateDatabase(databaseUrl, projector, role);
    await orRefused("in the database cannot be migrated", migrating);
    say("The tables in the database are up to date.");
    if (role !== undefined) say(`The role ${role} may now serve.`);
    return 0;
  },
};

/** Takes what was erased out of the files of a log. */
export const eraseVacuumCommand: Command = {
  meaning:
    "writes the tables of the log anew, so that their files have no bytes of what was erased or " +
    "deleted. Stop the service first: a file that it has open is refused. A database needs the " +
    "role that owns the tables, and room for a copy of the largest one.",
  async run(config, { say }) {
    const { name, vacuum } = await findLog(config);
    await orRefused(`${name} cannot be written anew`, vacuum());
    say("The files of the log have nothing but its rows.");
    return 0;
  },
};
