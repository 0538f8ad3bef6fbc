import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "@jest/globals";

/** The house rules that no other tool keeps: who may know whom, how long files are, true tables. */

const root = resolve(import.meta.dirname, "..");
const linesMax = 300;
const columnsMax = 100;

const written = ["src", "test", "bench", "examples", "generate", "proto/iam"]
  .flatMap(filesBelow)
  .filter((file) => /\.(ts|js|proto)$/.test(file));
const texts = new Map(written.map((file) => [file, read(file)]));
const sources = written.filter((file) => /^src\/.*\.ts$/.test(file));
/** What of src is no TypeScript, and what is made. */
const scripts = written.filter((file) => /^src\/.*\.js$/.test(file));
const architecture = read("ARCHITECTURE.md");
/** What people read of the project as it is. */
const documents = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...filesBelow("docs").filter((file) => file.endsWith(".md")),
];

/** Who may know whom: parts are folders at any depth, or single files. */
const rules = new Map(
  table(architecture, "Part").map(([part = "", parts = "", packages = ""]) => [
    part,
    { parts: words(parts), packages: words(packages) },
  ]),
);

/** Where types stand that are named by a word of the glossary: it has one meaning. */
const meanings: { readonly [word: string]: RegExp } = {
  Answer: /^src\/(?:gateway\/call\/form|pages\/account|.*\/userinfo|store\/answer)\.ts$/,
  Found: /^src\/execute\/read-object\.ts$/,
  Parts: /^src\/(?:metrics|provider|start)\//,
  Place: /^src\/log\//,
  Shown: /^src\/domain\/(?:admission|user\/human\/phone)\.ts$/,
};

/** Which folders of its own room a folder without such a row may know. */
const inner = new Map(table(architecture, "Folder").map(([one = "", to = ""]) => [one, words(to)]));

test("lockfiles name no registry, so whichever is configured is used", () => {
  for (const folder of ["", "bench/peers/", "examples/start/"]) {
    expect(read(`${folder}package-lock.json`)).not.toMatch(/"resolved"|https?:\/\/[^"]*\.tgz/);
  }
});

test("an installation without what tests need has what src asks for, and nothing else", () => {
  const { dependencies } = JSON.parse(read("package.json")) as { readonly dependencies: object };
  const imported = [...sources, ...scripts].flatMap(importsOf).filter((one) => !isOwn(one));
  // What browsers are sent is read as a file.
  const sent = sources.flatMap((file) => [...read(file).matchAll(/\.resolve\("([^"]+)"\)/g)]);
  const asked = new Set([...imported.map(knownAs), ...sent.map(([, name = ""]) => name)]);
  expect([...asked].toSorted()).toEqual(Object.keys(dependencies).toSorted());
});

describe("files", () => {
  test("are short enough to be read", () => {
    // A Protobuf service cannot be spread over files.
    const files = written.filter((file) => !file.endsWith("_service.proto"));
    expect(files.filter((file) => linesOf(file).length - 1 > linesMax)).toEqual([]);
  });

  test("have lines that fit on a screen", () => {
    // What buf's formatter puts on one line stays there.
    const files = written.filter((file) => !file.endsWith(".proto"));
    const wide = files.flatMap((file) =>
      linesOf(file)
        .filter((line) => [...line].length > columnsMax && !isUnbreakable(line))
        .map((line) => `${file}: ${line}`),
    );
    expect(wide).toEqual([]);
  });

  test("have names that say what is in them", () => {
    const named = sources.filter(
      (file) =>
        /^[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(basename(file)) &&
        !/utils?|helpers?|common|misc|index/.test(file),
    );
    expect(sources.filter((file) => !named.includes(file))).toEqual([]);
  });

  test("leave nothing to be done", () => {
    // In brackets, so that this file is looked at as well.
    const mark = /\b(TO[D]O|FIX[M]E|XX[X])\b/;
    expect(written.filter((file) => mark.test(texts.get(file) ?? ""))).toEqual([]);
  });

  test("name in comments files that are there", () => {
    const all = ["src", "test", "bench", "generate", "proto", "docs"].flatMap(filesBelow);
    const named = (line: string) =>
      /^\s*(?:\/[/*]|\*|--)/.test(line) ? [...line.matchAll(/`([\w./-]+\.ts)`/g)] : [];
    const missing = written.flatMap((file) =>
      linesOf(file)
        .flatMap(named)
        .filter(([, name = ""]) => !all.some((one) => `/${one}`.endsWith(`/${name}`)))
        .map(([, name]) => `${file}: ${name}`),
    );
    expect(missing).toEqual([]);
  });

  test("name exported types by words in the meaning of the glossary", () => {
    const named = /^export (?:interface|type) (\w*(Answer|Found|Parts|Place|Shown))\b/gm;
    const strangers = sources.flatMap((file) =>
      [...(texts.get(file) ?? "").matchAll(named)]
        .filter(([, , word = ""]) => !meanings[word]?.test(file))
        .map(([, name]) => `${file}: ${name}`),
    );
    expect(strangers).toEqual([]);
    for (const word of Object.keys(meanings)) expect(architecture).toContain(`**${word}**`);
  });

  test("are in plain English", () => {
    // In brackets, so that this file is looked at as well.
    const heavy = /\b(who(?:m)?[e]ver|such [a]s|good (?:until|once|for))\b/i;
    const found = [...written, ...documents].flatMap((file) =>
      linesOf(file)
        .filter((line) => heavy.test(line))
        .map((line) => `${file}: ${line}`),
    );
    expect(found).toEqual([]);
  });
});

describe("imports", () => {
  const imports = new Map(written.map((file) => [file, importsOf(file)]));

  test("have a row in ARCHITECTURE.md for every part and folder, and no other row is there", () => {
    const folders = new Set(sources.map(folderOf).filter((one) => one !== "" && !rules.has(one)));
    expect([...rules.keys()].sort()).toEqual([...new Set(sources.map(partOf))].sort());
    expect([...inner.keys()].sort()).toEqual([...folders].sort());
  });

  test("keep to its table", () => {
    const strangers = sources.flatMap((file) => {
      const { parts = [], packages = [] } = rules.get(partOf(file)) ?? {};
      const allowed = [partOf(file), ...parts, ...packages];
      return (imports.get(file) ?? [])
        .filter((target) => !allowed.includes(knownAs(target)))
        .map((target) => `${file} imports ${target}`);
    });
    expect(strangers).toEqual([]);
  });

  test("of folders inside a part keep to that table", () => {
    const strangers = sources.flatMap((file) => {
      const allowed = inner.get(folderOf(file));
      return (imports.get(file) ?? [])
        .filter((target) => isOwn(target) && partOf(target) === partOf(file))
        .filter((target) => folderOf(target) !== folderOf(file) && inner.has(folderOf(target)))
        .filter((target) => allowed && !allowed.includes(folderOf(target)))
        .map((target) => `${file} imports ${target}`);
    });
    expect(strangers).toEqual([]);
  });

  test("of what lies in one folder go in no circles", () => {
    const around = [...new Set(sources.map(dirname))].flatMap((folder) => {
      const within = (file: string) => file.startsWith(`${folder}/`);
      const depth = folder.split("/").length;
      const entryOf = (file: string) => `${folder}/${file.split("/")[depth]}`;
      const entries = [...Map.groupBy(sources.filter(within), entryOf)].map(([entry, files]) => {
        const targets = files.flatMap((file) => imports.get(file) ?? []).filter(within);
        return [entry, targets.map(entryOf).filter((one) => one !== entry)] as const;
      });
      return circles(new Map(entries));
    });
    expect(around).toEqual([]);
  });

  test("of parts go in no circles", () => {
    expect(circles(new Map([...rules].map(([part, { parts }]) => [part, parts])))).toEqual([]);
  });

  test("of files go in no circles, not even for a type", () => {
    expect(circles(imports)).toEqual([]);
  });
});

describe("tables say what the code says", () => {
  test("runtime dependencies, each with its reason", () => {
    const { dependencies } = JSON.parse(read("package.json")) as { dependencies: object };
    const named = architecture.match(/`[@\w/.-]+`/g);
    expect(named).toEqual(
      expect.arrayContaining(Object.keys(dependencies).map((name) => `\`${name}\``)),
    );
  });

  test("make targets", () => {
    const targets = [...read("Makefile").matchAll(/^([a-z]+):.*## /gm)].map(([, name]) => name);
    const rows = table(read("CONTRIBUTING.md"), "Target").map(([name]) => name);
    expect(rows).toEqual(targets.map((name) => `make ${name}`));
  });
});

/** What is left of a graph without its ends, again and again: what goes in circles. */
function circles(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const left = new Map(graph);
  for (;;) {
    const targeted = new Set([...left.values()].flat());
    const ends = [...left].filter(
      ([node, targets]) => !targeted.has(node) || !targets.some((target) => left.has(target)),
    );
    if (ends.length === 0) return [...left.keys()].sort();
    for (const [end] of ends) left.delete(end);
  }
}

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

/** `src/store/sqlite/read.ts` belongs to the deepest row that fits: `store/sqlite`, not `store`. */
function partOf(file: string): string {
  const names = file
    .replace(/^src\//, "")
    .replace(/\.ts$/, "")
    .split("/");
  const fitting = names
    .map((_, index) => names.slice(0, index + 1).join("/"))
    .findLast((part) => rules.has(part));
  return fitting ?? names[0] ?? file;
}

/** The folder of a file of `src`, as the tables name it. */
function folderOf(file: string): string {
  return relative("src", dirname(file));
}

/** What a file imports, at once or later: files by their path in the project, packages by name. */
function importsOf(file: string): readonly string[] {
  const text = texts.get(file) ?? "";
  const found = [
    ...text.matchAll(/^(?:import|export)\b[^"]*?from "([^"]+)"/gms),
    ...text.matchAll(/\bimport\("([^"]+)"\)/g),
  ];
  return found.map(([, target = ""]) =>
    target.startsWith(".") ? relative(root, resolve(root, dirname(file), target)) : target,
  );
}

/** What the table calls a file or package that is imported. */
function knownAs(target: string): string {
  if (target.startsWith("gen/")) return "gen";
  if (target.startsWith("src/")) return partOf(target);
  if (target.startsWith("node:")) return "node";
  return target
    .split("/")
    .slice(0, target.startsWith("@") ? 2 : 1)
    .join("/");
}

/** Whether what is imported is a file of the project, or a part of Node. */
function isOwn(target: string): boolean {
  return /^(?:src|gen)\/|^node:/.test(target);
}

/** Long links, quoted texts and imports cannot be folded. */
function isUnbreakable(line: string): boolean {
  return /https?:\/\/\S{40}|^\s*(?:[\w.]+: )?["'`].*["'`][,;]?$|^import .* from ".*";$/.test(line);
}

function filesBelow(directory: string): readonly string[] {
  return readdirSync(join(root, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !file.includes("node_modules/"))
    .sort();
}

function linesOf(file: string): readonly string[] {
  return (texts.get(file) ?? "").split("\n");
}

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}
