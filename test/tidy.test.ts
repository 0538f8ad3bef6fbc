import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { getOption, hasOption } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { http } from "../gen/google/api/annotations_pb.js";
import { AccountService } from "../gen/iam/account/v1/account_service_pb.js";
import { AdminService } from "../gen/iam/admin/v1/admin_service_pb.js";
import { EventService } from "../gen/iam/event/v1/event_service_pb.js";
import { ManagementService } from "../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../gen/iam/user/v2/user_service_pb.js";
import { access } from "../gen/iam/v1/access_pb.js";
import { flagOf, settings } from "../src/config.ts";
import { roles } from "../src/domain/permission.ts";
import { reasons } from "../src/reason.ts";

/** The house rules that no other tool keeps: who may know whom, how long files are, true tables. */

const root = resolve(import.meta.dirname, "..");
const linesMax = 300;
const columnsMax = 100;

const sources = filesBelow("src").filter((file) => file.endsWith(".ts"));
const written = ["src", "test", "bench", "examples", "proto"]
  .flatMap(filesBelow)
  .filter((file) => /\.(ts|js|proto)$/.test(file));
const readme = read("README.md");
const architecture = read("ARCHITECTURE.md");

describe("files", () => {
  test.each(written)("%s is short enough to be read", (file) => {
    const lines = read(file).split("\n");
    // What buf's formatter puts on one line stays there.
    const ours = file.endsWith(".proto") ? [] : lines;
    const wide = ours.filter((line) => [...line].length > columnsMax && !unbreakable(line));
    // A Protobuf service cannot be spread over files.
    if (!file.endsWith("_service.proto")) expect(lines.length - 1).toBeLessThanOrEqual(linesMax);
    expect(wide).toEqual([]);
  });

  test.each(sources)("%s has the name of what is in it", (file) => {
    expect(basename(file)).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*\.ts$/);
    expect(file).not.toMatch(/utils?|helpers?|common|misc|index/);
  });

  test("nothing is left over", () => {
    const leftovers = written.filter((file) => /\b(TODO|FIXME|XXX)\b/.test(read(file)));
    expect(leftovers.filter((file) => file !== "test/tidy.test.ts")).toEqual([]);
  });
});

describe("imports keep to the table in ARCHITECTURE.md", () => {
  const rules = new Map(
    table(architecture, "Part").map(([part = "", parts = "", packages = ""]) => [
      part,
      { parts: words(parts), packages: words(packages) },
    ]),
  );

  test("every part has a row, and every row a part", () => {
    expect([...rules.keys()].sort()).toEqual([...new Set(sources.map(partOf))].sort());
  });

  test.each(sources)("%s", (file) => {
    const rule = rules.get(partOf(file));
    for (const target of importsOf(file)) {
      if (target.startsWith(".")) {
        const imported = relative(root, resolve(root, dirname(file), target));
        const part = imported.startsWith("gen/") ? "gen" : partOf(imported);
        expect([partOf(file), ...(rule?.parts ?? [])]).toContain(part);
      } else {
        const [scope, name] = target.split("/");
        const packageName = target.startsWith("@") ? `${scope}/${name}` : scope;
        const allowed = target.startsWith("node:") ? "node" : packageName;
        expect(rule?.packages).toContain(allowed);
      }
    }
  });

  test("nobody goes around in circles", () => {
    const parts = [...rules.keys()];
    const reaches = (from: string, to: string, seen: readonly string[] = []): boolean =>
      (rules.get(from)?.parts ?? []).some(
        (next) => next === to || (!seen.includes(next) && reaches(next, to, [...seen, next])),
      );
    expect(parts.filter((part) => reaches(part, part))).toEqual([]);
  });
});

describe("tables say what the code says", () => {
  test("operations", () => {
    const services = [ManagementService, AdminService, UserService, EventService, AccountService];
    const methods = services.flatMap((service) => service.methods);
    const expected = methods.map((method) => {
      const { pattern } = getOption(method, http);
      const { permission, ownerPermission } = getOption(method, access);
      const permissions = ownerPermission === "" ? [permission] : [permission, ownerPermission];
      const path = hasOption(method, http) ? [pattern.case?.toUpperCase(), pattern.value] : ["–"];
      const name = `${method.parent.typeName}/${method.name}`;
      return [name, path.join(" "), permissions.join(" or ")].join(" | ");
    });
    const rows = table(readme, "Operation").map(([, ...cells]) => cells.slice(0, 3).join(" | "));
    expect(rows.sort()).toEqual(expected.sort());
  });

  test("settings", () => {
    const expected = Object.values(settings).map(({ name, default: value, meaning }) => [
      name,
      flagOf(name),
      value,
      meaning,
    ]);
    expect(table(readme, "Setting")).toEqual(expected);
  });

  test("reasons", () => {
    const expected = Object.entries(reasons).map(([reason, [status, meaning]]) => [
      reason,
      status.toUpperCase(),
      meaning,
    ]);
    expect(table(readme, "Reason")).toEqual(expected.map((cells) => cells.map(plain)));
  });

  test("roles", () => {
    const expected = Object.entries(roles).map(([role, { level }]) => [role, level]);
    expect(table(readme, "Role").map((cells) => cells.slice(0, 2))).toEqual(expected);
  });

  test("runtime dependencies, each with its reason", () => {
    const { dependencies } = JSON.parse(read("package.json")) as { dependencies: object };
    const rows = table(readme, "Dependency");
    expect(rows.map(([name]) => name)).toEqual(Object.keys(dependencies));
    expect(architecture.match(/`[@\w/-]+`/g)).toEqual(
      expect.arrayContaining(Object.keys(dependencies).map((name) => `\`${name}\``)),
    );
  });

  test("events", () => {
    const types = sources
      .filter((file) => file.startsWith("src/domain/"))
      .flatMap((file) => [...read(file).matchAll(/readonly type:((?:[\s|]*"[a-z]+\.[a-z.]+")+)/g)])
      .flatMap(([, union = ""]) => [...union.matchAll(/"([a-z.]+)"/g)])
      .map(([, type]) => type);
    expect(
      table(architecture, "Event")
        .map(([type]) => type)
        .sort(),
    ).toEqual(types.sort());
  });

  test("make targets", () => {
    const targets = [...read("Makefile").matchAll(/^([a-z]+):.*## /gm)].map(([, name]) => name);
    const rows = table(read("CONTRIBUTING.md"), "Target").map(([name]) => name);
    expect(rows).toEqual(targets.map((name) => `make ${name}`));
  });
});

/** The cells of the Markdown table whose first heading is the given one, without code marks. */
function table(text: string, heading: string): readonly (readonly string[])[] {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} `));
  if (start < 0) throw new Error(`no table begins with the heading ${heading}`);
  const end = lines.findIndex((line, index) => index > start && !line.startsWith("|"));
  return lines.slice(start + 2, end).map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => plain(cell.trim())),
  );
}

function plain(text: string): string {
  return text.replaceAll("`", "");
}

function words(cell: string): readonly string[] {
  return cell.split(/[,\s]+/).filter((word) => word !== "" && word !== "–");
}

/** `src/store/sqlite/read.ts` belongs to the part `store/sqlite`, `src/event.ts` to `event`. */
function partOf(file: string): string {
  const inside = file.replace(/^src\//, "").replace(/\.ts$/, "");
  if (inside.startsWith("store/sqlite/")) return "store/sqlite";
  return inside.split("/")[0] ?? inside;
}

function importsOf(file: string): readonly string[] {
  return [...read(file).matchAll(/^(?:import|export)\b[^"]*?from "([^"]+)"/gms)].map(
    ([, target]) => target ?? "",
  );
}

/** Long links, quoted texts and imports cannot be folded. */
function unbreakable(line: string): boolean {
  return /https?:\/\/\S{40}|^\s*(?:[\w.]+: )?["'`].*["'`][,;]?$|^import .* from ".*";$/.test(line);
}

function filesBelow(directory: string): readonly string[] {
  return readdirSync(join(root, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}
