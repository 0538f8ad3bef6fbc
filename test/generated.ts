// Checks that all that is made is exactly what "npm run generate" makes of proto/ and src/, so that
// neither a forgotten generation nor a hand edit can be committed: "npm run check:generated".
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { generate, generated } from "../generate/generate.ts";

const root = join(import.meta.dirname, "..");

/** The content of each file that is made, by its path with forward slashes. */
function contents(directory: string): Map<string, Buffer> {
  const files = generated.flatMap((path) => {
    const place = join(directory, path);
    if (!existsSync(place)) return [];
    if (statSync(place).isFile()) return [place];
    return readdirSync(place, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  });
  return new Map(
    files.map((file) => [relative(directory, file).split(sep).join("/"), readFileSync(file)]),
  );
}

/** One line for each file that is not as it should be. */
function differences(expected: Map<string, Buffer>, actual: Map<string, Buffer>): string[] {
  return [...new Set([...expected.keys(), ...actual.keys()])].sort().flatMap((file) => {
    const wanted = expected.get(file);
    const found = actual.get(file);
    if (wanted === undefined) return [`extra:   ${file}`];
    if (found === undefined) return [`missing: ${file}`];
    return wanted.equals(found) ? [] : [`differs: ${file}`];
  });
}

const temporary = mkdtempSync(join(tmpdir(), "iam-generated-"));
try {
  await generate(temporary);
  const found = differences(contents(temporary), contents(root));
  if (found.length > 0) {
    const lines = found.map((line) => `  ${line}\n`).join("");
    throw new Error(`Not what proto/ and src/ make. Run: npm run generate\n${lines}`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
