import {
  clone,
  create,
  createFileRegistry,
  type DescFile,
  type DescService,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { type Alias, aliasOfName } from "../alias.ts";

/** Files with all that they import, by name; each stands behind what it imports. */
export function withImports(files: readonly DescFile[]): ReadonlyMap<string, DescFile> {
  const all = new Map<string, DescFile>();
  const add = (file: DescFile): void => {
    if (all.has(file.proto.name)) return;
    for (const dependency of file.dependencies) add(dependency);
    all.set(file.proto.name, file);
  };
  for (const file of files) add(file);
  return all;
}

/** The services of ours as they are called by an alias, in files that are called so, too. */
export function aliasedServices(
  services: readonly DescService[],
  alias: Alias,
): readonly DescService[] {
  const files = [...withImports(services.map(({ file }) => file)).values()];
  // An option has one number, and so one name: what declares it stays as it is.
  const kept = new Set(files.filter(({ proto }) => proto.extension.length > 0).map(nameOf));
  const rename = (name: string) => (kept.has(name) ? name : aliasOfName(name, alias));
  const file = files.map((one) => {
    const described = clone(FileDescriptorProtoSchema, one.proto);
    if (!kept.has(nameOf(one))) renameIn(described, rename);
    return described;
  });
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file }));
  return services.flatMap(({ typeName }) => {
    const name = rename(typeName);
    return name === typeName ? [] : (registry.getService(name) ?? []);
  });
}

function nameOf({ proto }: DescFile): string {
  return proto.name;
}

/** Renames all that a part of a descriptor names; its options are bytes. */
function renameIn(part: object, rename: (name: string) => string): void {
  for (const [key, value] of Object.entries(part)) {
    if (typeof value === "string") Object.assign(part, { [key]: rename(value) });
    else if (typeof value === "object" && !(value instanceof Uint8Array)) renameIn(value, rename);
  }
}
