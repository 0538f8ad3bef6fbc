// Checks that gen/ is exactly what "npm run generate" makes of proto/, so that neither a forgotten
// generation nor a hand edit can be committed. Run it with "npm run check:generated".
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, relative, sep } from "node:path";

const root = join(import.meta.dirname, "..");
const bin = join(root, "node_modules", ".bin");

/** Runs buf as "npm run generate" does, but with its output below the given directory. */
function generate(directory: string): void {
  const buf = join(root, "node_modules", "@bufbuild", "buf", "bin", "buf");
  const { status, stderr } = spawnSync(process.execPath, [buf, "generate", "--output", directory], {
    cwd: root,
    // buf looks for protoc-gen-es on the path.
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ""}` },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`buf generate failed: ${stderr || `exit status ${status}`}`);
}

/** The content of each file below a directory, by its path with forward slashes. */
function contents(directory: string): Map<string, Buffer> {
  if (!existsSync(directory)) return new Map();
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    files.map((file) => [relative(directory, file).split(sep).join("/"), readFileSync(file)]),
  );
}

/** One line for each file of gen/ that is not as it should be. */
function differences(expected: Map<string, Buffer>, actual: Map<string, Buffer>): string[] {
  return [...new Set([...expected.keys(), ...actual.keys()])].sort().flatMap((file) => {
    const wanted = expected.get(file);
    const found = actual.get(file);
    if (wanted === undefined) return [`extra:   gen/${file}`];
    if (found === undefined) return [`missing: gen/${file}`];
    return wanted.equals(found) ? [] : [`differs: gen/${file}`];
  });
}

const temporary = mkdtempSync(join(tmpdir(), "iam-generated-"));
try {
  generate(temporary);
  const found = differences(contents(join(temporary, "gen")), contents(join(root, "gen")));
  if (found.length > 0) {
    const lines = found.map((line) => `  ${line}\n`).join("");
    throw new Error(`gen/ is not what proto/ makes. Run: npm run generate\n${lines}`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
