import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { StatefulSet } from "kubernetes-models/apps/v1";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { ConfigMap, Service } from "kubernetes-models/v1";
import { parse, parseAllDocuments } from "yaml";
import { readConfig } from "../../src/config/config.ts";
import { unknownSettings } from "../../src/config/doubts.ts";

/** What the files of `deploy` say, as far as it can be seen without the programs that read them. */

const root = join(import.meta.dirname, "../../deploy");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));

test.each(files)("%s names settings that there are", (file) => {
  const names = readFileSync(file, "utf8").match(/\bIAM_[A-Z_]+\b/g) ?? [];
  expect(unknownSettings(Object.fromEntries(names.map((name) => [name, ""])))).toEqual([]);
});

test("README.md has each file", () => {
  const told = read("README.md");
  const names = files.map((file) => file.slice(root.length + 1));
  expect(names.filter((name) => name !== "README.md" && !told.includes(`(${name})`))).toEqual([]);
});

test("the version is the same everywhere", () => {
  const { version } = JSON.parse(read("../package.json")) as { readonly version: string };
  const told = [
    ["../package-lock.json", /"version": "(.*)"/],
    ["../CHANGELOG.md", /^## (\d.*)$/m],
    ["../docs/operate.md", /^deploy\/install\.sh \/opt\/iam-(\S+)/m],
    ["kubernetes/iam.yaml", /image: \S+:(.*)$/m],
  ] as const;
  expect(told.map(([file, form]) => form.exec(read(file))?.[1])).toEqual(told.map(() => version));
});

type Node = { readonly [name: string]: unknown };

const models = { ConfigMap, NetworkPolicy, PodDisruptionBudget, Service, StatefulSet };
const objects = parseAllDocuments(read("kubernetes/iam.yaml")).map((one) => one.toJS() as Node);

test("Kubernetes knows all that its objects say", () => {
  expect(objects.map(({ kind }) => kind)).toEqual([
    ...["ConfigMap", "StatefulSet", "Service", "PodDisruptionBudget", "NetworkPolicy"],
  ]);
  for (const object of objects) {
    const asked = new Set<string>();
    const { validate } = models[object.kind as keyof typeof models].prototype;
    validate.call(noting(object, "", asked));
    // What a schema has no name for is never asked for.
    const said = pathsIn(object, "");
    expect(said.filter((path) => !asked.has(path))).toEqual([]);
  }
});

test("the service takes the settings of its containers", () => {
  const [config] = objects;
  const compose = parse(read("compose.yaml"));
  const key = `first:${"A".repeat(43)}=`;
  for (const settings of [config?.data, compose.services.iam.environment] as const) {
    expect(() => readConfig([], { ...settings, IAM_MASTER_KEY: key })).not.toThrow();
  }
});

/** The same object, which notes the path of each member that is asked for. */
function noting(value: unknown, path: string, asked: Set<string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  return new Proxy(value, {
    get(target, name) {
      const at = `${path}/${String(name)}`;
      asked.add(at);
      return noting(Reflect.get(target, name), at, asked);
    },
  });
}

/** The paths of all members below a value. */
function pathsIn(value: unknown, path: string): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const at = `${path}/${name}`;
    return [at, ...pathsIn(member, at)];
  });
}
