import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { contractOf, contractText } from "./contract.ts";
import examples from "./examples.json" with { type: "json" };
import { linesOf } from "./lines.ts";
import { writeThirdParty } from "./third-party.ts";

const root = join(import.meta.dirname, "..");

/** All that is made, by its path in the project: folders end with a slash. */
export const generated = [
  "gen/",
  "proto/buf/",
  "proto/google/",
  "proto/grpc/",
  "contract.txt",
  "docs/events.md",
  "docs/limits.md",
  "docs/metrics.md",
  "docs/operations.md",
  "docs/refusals.md",
  "docs/settings.md",
];

/** Makes all that is made from `proto/` and `src/`, in a directory laid out as the project is. */
export async function generate(directory: string): Promise<void> {
  writeThirdParty(join(directory, "proto"));
  const [set] = await Promise.all([
    buf("build", "--as-file-descriptor-set", "-o", "-"),
    buf("generate", "--clean", "--output", directory),
  ]);
  // It loads `src/`, which may name what has only just been made.
  const [{ documents }, { openapi }, { eventSchema }] = await Promise.all([
    import("./documents.ts"),
    import("./openapi.ts"),
    import("./event-schema.ts"),
  ]);
  const contract = contractOf(fromBinary(FileDescriptorSetSchema, set));
  const texts = {
    "contract.txt": contractText(contract),
    "gen/openapi.json": `${linesOf(openapi(contract, examples), 3)}\n`,
    "gen/events.schema.json": `${linesOf(eventSchema(contract), 2)}\n`,
    ...documents(contract),
  };
  for (const [path, text] of Object.entries(texts)) {
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** What buf writes to standard output; rejects with what it says where it fails. */
async function buf(...flags: readonly string[]): Promise<Buffer> {
  const bin = join(root, "node_modules", ".bin");
  const script = join(root, "node_modules", "@bufbuild", "buf", "bin", "buf");
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...flags], {
    cwd: root,
    // buf looks for protoc-gen-es on the path.
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ""}` },
    encoding: "buffer",
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  return stdout;
}

if (import.meta.main) await generate(root);
