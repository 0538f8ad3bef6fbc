import { findProgram, isProgram } from "../harness/program.ts";

/** What Chromium and its kin are called where systems install them. */
const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/**
 * The program that the tests drive: what `CHROMIUM` names, else the first in `PATH`. Undefined
 * where there is none; throws where `CHROMIUM` names nothing that runs, because that is a mistake.
 */
export function findChromium(
  environment: { readonly [name: string]: string | undefined } = process.env,
): string | undefined {
  const { CHROMIUM: chosen = "" } = environment;
  if (chosen === "") return findProgram(names, environment);
  if (!isProgram(chosen)) throw new Error(`CHROMIUM names ${chosen}, which cannot be run`);
  return chosen;
}
