import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { chown, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { endExamples, startExample } from "../examples/example.ts";
import { canMount } from "../harness/mount.ts";
import { freePort } from "../harness/port.ts";
import { type Image, replay } from "./dockerfile.ts";
import { compare, floorOf, type Version } from "./symbols.ts";

/** The image with what `deploy/install.sh` installs: each step is done here without Docker. */

const project = join(import.meta.dirname, "../..");

/** What a base has: how large it is, and the newest symbols of its libraries. */
interface Base {
  readonly megabytes: number;
  readonly symbols: { readonly [library: string]: Version };
}

const bases: { readonly [image: string]: Base } = {
  // glibc 2.36 and the library of gcc 12, with the certificates and time zones that come with it.
  "gcr.io/distroless/cc-debian12": {
    megabytes: 26,
    symbols: { GLIBC: [2, 36], GLIBCXX: [3, 4, 30], CXXABI: [1, 3, 13] },
  },
};

interface Package {
  readonly name: string;
  readonly version: string;
}

/** What of Debian 12 is in the base, as packages. */
const basePackages = ["libc6", "libgcc-s1", "libstdc++6"];

/** Without Node, and with Node and the base. */
const [packagesMegabytesMax, imageMegabytesMax] = [90, 230];

let below: string;
let image: Image;
let base: Base;

beforeAll(() => {
  below = mkdtempSync(join(tmpdir(), "iam-test-"));
  image = replay(join(project, "deploy/Dockerfile"), project, below);
  base = bases[image.base]!;
});
afterAll(async () => {
  await endExamples();
  await rm(below, { recursive: true });
});

test("an installation takes no more room than is said", () => {
  const packages = megabytes(join(image.root, "opt/iam"));
  const node = megabytes(...programs().filter((file) => file.endsWith("/bin/node")));
  expect(packages - node).toBeLessThanOrEqual(packagesMegabytesMax);
  expect(packages + base.megabytes).toBeLessThanOrEqual(imageMegabytesMax);
});

test("the base has all that its programs ask of its libraries", () => {
  const found = programs();
  expect(found.filter((file) => file.endsWith(".node")).length).toBeGreaterThanOrEqual(4);
  expect(found.filter((file) => floorOf(file, "GLIBC").length === 0)).toEqual([]);
  for (const [library, newest] of Object.entries(base.symbols)) {
    const newer = found.filter((file) => compare(floorOf(file, library), newest) > 0);
    expect(newer).toEqual([]);
  }
});

test("its bill of materials names all packages that are in it, and no others", () => {
  const said = readFileSync(join(image.root, "opt/iam/sbom.cdx.json"), "utf8");
  const { components } = JSON.parse(said) as { readonly components: readonly Package[] };
  const packages = join(image.root, "opt/iam/node_modules");
  const lock: { readonly packages: { readonly [path: string]: Package } } = JSON.parse(
    readFileSync(join(packages, ".package-lock.json"), "utf8"),
  );
  const named = Object.entries(lock.packages).map(([path, { version }]) => ({
    name: path.replace(/^.*node_modules\//, ""),
    version,
  }));
  const texts = (all: readonly Package[]) =>
    new Set(all.map(({ name, version }) => `${name} ${version}`));
  expect(texts(components)).toEqual(texts(named));
});

test("deploy/install.sh leaves a directory alone that is there", () => {
  const { status } = spawnSync(join(project, "deploy/install.sh"), [join(image.root, "opt/iam")]);
  expect(status).not.toBe(0);
});

/** A file system of its own takes root; elsewhere `test/runner/missing.ts` says so. */
const testInside = canMount() ? test : test.skip;

testInside(
  "the service runs on the base alone, as nobody, where nothing can be written",
  async () => {
    for (const name of ["dev", "proc", "tmp"]) mkdirSync(join(image.root, name));
    sh(`dpkg --listfiles ${basePackages.join(" ")} | grep -E '^(/usr)?/lib(64)?/.*[.]so' | sort -u |
    xargs cp --parents --no-dereference --target-directory ${image.root}`);
    const data = mkdtempSync(join(below, "data-"));
    const port = await freePort();
    const [user = "", group = ""] = image.user.split(":");
    await chown(data, Number(user), Number(group));
    const inside = (command: readonly string[]) => [
      "--mount",
      "sh",
      "-euc",
      `mount --bind "$0" "$0"; mount --bind "$1" "$0/data"; mount --bind /dev "$0/dev"
     mount -t proc proc "$0/proc"; mount -o remount,bind,ro "$0"; root=$0; shift
     exec chroot --userspec=${image.user} --groups= "$root" "$@"`,
      ...[image.root, data, ...command],
    ];
    const env = { ...image.env, IAM_PORT: String(port) };
    const service = startExample(["unshare", ...inside(image.command)], { env });
    const check = () => {
      const words = image.healthCheck.map((word) => word.replace("8080", String(port)));
      return spawnSync("unshare", inside(words), { env: image.env }).status;
    };
    await service.says(/^listening on/m);
    expect(check()).toBe(0);
    service.kill("SIGTERM");
    expect(await service.ended).toBe(0);
    expect(check()).toBe(1);
    expect(readdirSync(data)).toEqual(expect.arrayContaining(["admin.token", "iam.db"]));
  },
);

/** The program of Node and what it loads that is compiled. */
function programs(): readonly string[] {
  const packages = join(image.root, "opt/iam/node_modules");
  return readdirSync(packages, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".node") || /^node-[^/]+\/bin\/node$/.test(name))
    .map((name) => join(packages, name));
}

/** What files take on a disk, in units of 10⁶ bytes. */
function megabytes(...files: readonly string[]): number {
  const lines = sh(`du --summarize --block-size=1 ${files.join(" ")}`)
    .trim()
    .split("\n");
  return lines.reduce((sum, line) => sum + Number.parseInt(line, 10), 0) / 1e6;
}

function sh(command: string): string {
  const { status, stdout, stderr } = spawnSync("sh", ["-euc", command], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ends with ${status}: ${stderr}`);
  return stdout;
}
