import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A mistake to plant: texts that each stand once in a file of the project, and are replaced. */
export interface Mistake {
  readonly name: string;
  readonly edits: readonly (readonly [file: string, find: string, replace: string])[];
}

const root = join(import.meta.dirname, "../..");

/** Makes a copy of what the service is made of, with the mistake, and of more that is named. */
export async function plant(
  project: string,
  mistake: Mistake,
  more: readonly string[] = [],
): Promise<void> {
  for (const path of ["src", "gen", "package.json", ...more]) {
    await cp(join(root, path), join(project, path), { recursive: true });
  }
  await symlink(join(root, "node_modules"), join(project, "node_modules"));
  for (const [file, text] of await edited(mistake)) await writeFile(join(project, file), text);
}

/** The files that the mistake changes, with it. Throws where an edit does not apply. */
export async function edited(
  { name, edits }: Mistake,
  project: string = root,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const [file, find, replace] of edits) {
    const text = texts.get(file) ?? (await readFile(join(project, file), "utf8"));
    const parts = text.split(find);
    if (parts.length !== 2) {
      throw new Error(`"${name}" no longer applies: ${file} has this ${parts.length - 1} times:
${find}`);
    }
    texts.set(file, parts.join(replace));
  }
  return texts;
}
