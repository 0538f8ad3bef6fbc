import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The first program in `PATH` that has one of the names, in their order. */
export function findProgram(
  names: readonly string[],
  { PATH = "" }: { readonly [name: string]: string | undefined } = process.env,
): string | undefined {
  const directories = PATH.split(delimiter).filter((directory) => directory !== "");
  return names
    .flatMap((name) => directories.map((directory) => join(directory, name)))
    .find(isProgram);
}

/** Whether there is a file that can be run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
