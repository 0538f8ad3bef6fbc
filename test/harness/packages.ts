import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const installMsMax = 180_000;

/**
 * Installs the pinned packages of a folder where they are not there yet, without running any
 * script of theirs. Answers why they are not there; undefined where they are.
 */
export async function installPackages(
  directory: string,
  { mayInstall }: { readonly mayInstall: boolean },
): Promise<string | undefined> {
  if (await isInstalled(directory)) return undefined;
  if (!mayInstall) return "their packages are not installed, and this size installs nothing";
  try {
    const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    await promisify(execFile)("npm", args, { cwd: directory, timeout: installMsMax });
    return undefined;
  } catch (error) {
    const { stderr = "", message } = error as Error & { readonly stderr?: string };
    const said = stderr.split("\n").find((line) => line.startsWith("npm error")) ?? message;
    return `npm ci in ${directory} failed: ${said}`;
  }
}

/** What a lockfile says of each package, by the directory that it is in. */
interface Lock {
  readonly packages: {
    readonly [path: string]: { readonly version?: string; readonly optional?: boolean };
  };
}

/** Whether everything that the lockfile names is there in its version. */
async function isInstalled(directory: string): Promise<boolean> {
  const wanted = await readLock(join(directory, "package-lock.json"));
  const found = await readLock(join(directory, "node_modules/.package-lock.json")).catch(() => ({
    packages: {},
  }));
  const there: Lock["packages"] = found.packages;
  return Object.entries(wanted.packages).every(
    ([path, { version, optional = false }]) =>
      path === "" || optional || there[path]?.version === version,
  );
}

async function readLock(file: string): Promise<Lock> {
  return JSON.parse(await readFile(file, "utf8")) as Lock;
}
