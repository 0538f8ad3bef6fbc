import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** What Chromium and its kin are called where systems install them. */
const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/**
 * The program that the tests drive: what `CHROMIUM` names, else the first in `PATH`. Undefined
 * where there is none; throws where `CHROMIUM` names nothing that runs, because that is a mistake.
 */
export function findChromium(
  environment: { readonly [name: string]: string | undefined } = process.env,
): string | undefined {
  const { CHROMIUM: chosen = "", PATH = "" } = environment;
  if (chosen !== "") {
    if (!isProgram(chosen)) throw new Error(`CHROMIUM names ${chosen}, which cannot be run`);
    return chosen;
  }
  const directories = PATH.split(delimiter).filter((directory) => directory !== "");
  return names
    .flatMap((name) => directories.map((directory) => join(directory, name)))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
