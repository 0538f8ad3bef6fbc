import { join } from "node:path";
import type { Mistake } from "../harness/plant.ts";

/** One mistake that a store could make: its name and the edits that plant it. */
export type Fault = readonly [name: string, ...edits: Edit[]];

/** In a file of `src/store/sqlite`, a text that must be there once, and what replaces it. */
export type Edit = readonly [file: string, find: string, replace: string];

/** The same with the paths of files from the project's root. */
export function mistakeOf([name, ...edits]: Fault): Mistake {
  const inProject = (file: string) => join("src/store/sqlite", file);
  return { name, edits: edits.map(([file, ...texts]) => [inProject(file), ...texts]) };
}
