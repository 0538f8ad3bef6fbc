import { relative } from "node:path";
import { findChromium } from "../browser/find.ts";
import { missingPackages } from "../deploy/programs.ts";
import { findCompiler } from "../disk/disk.ts";
import { canMount } from "../harness/mount.ts";
import { findPgBouncer } from "../harness/pgbouncer.ts";
import { findPostgres } from "../harness/postgres-programs.ts";
import { findHaproxy } from "../start/haproxy.ts";
import { findApache } from "../witness/apache.ts";
import { findGlewlwyd } from "../witness/glewlwyd.ts";

/** What Jest tells of a run when it is over. */
interface Results {
  readonly testResults: readonly {
    readonly testFilePath: string;
    readonly numPendingTests: number;
  }[];
}

/** Folders of tests, or how files begin, that need a program, and what to say where none is. */
const needs = [
  {
    folder: "test/browser/",
    find: findChromium,
    title: "NOT TESTED IN A BROWSER",
    missing: "There is no Chromium on this machine",
    remedy: "Install it (apt-get install chromium) or name one in CHROMIUM.",
  },
  {
    folder: "test/witness/",
    find: () => findApache() && findGlewlwyd() && findChromium(),
    title: "NOT TESTED WITH PROGRAMS OF OTHERS",
    missing: "There is no Apache with mod_auth_openidc, no Glewlwyd or no Chromium on this machine",
    remedy: "Install them (apt-get install apache2 libapache2-mod-auth-openidc glewlwyd chromium).",
  },
  {
    folder: "test/deploy/",
    find: () => (missingPackages().length === 0 ? true : undefined),
    title: "NOT DEPLOYED WITH PROGRAMS OF OTHERS",
    missing: "A proxy, systemd, strace or promtool is not on this machine",
    remedy: `Install what is missing (apt-get install ${missingPackages().join(" ")}).`,
  },
  {
    folder: "test/disk/",
    find: findCompiler,
    title: "NOT TESTED ON A DISK THAT FAILS",
    missing: "There is no C compiler on this machine, or it is not Linux",
    remedy: "Install one (apt-get install gcc).",
  },
  ...[
    "test/store/postgres",
    "test/log/database",
    "test/operate/database",
    "test/start/database",
    "test/start/restart",
    "test/cases/on-postgres",
  ].map((folder) => ({
    folder,
    find: findPostgres,
    title: "NOT TESTED ON POSTGRESQL",
    missing: "There is no server of PostgreSQL that could be started on this machine",
    remedy: "Install one and name the folder of its programs in IAM_TEST_POSTGRES.",
  })),
  {
    folder: "test/store/postgres-pooler",
    find: findPgBouncer,
    title: "NOT TESTED BEHIND A POOLER",
    missing: "There is no PgBouncer on this machine",
    remedy: "Install it (apt-get install pgbouncer).",
  },
  {
    folder: "test/deploy/container",
    find: () => canMount() || undefined,
    title: "THE IMAGE WAS NOT RUN",
    missing: "A file system cannot be mounted here: that takes root on Linux",
    remedy: "Run these tests as root.",
  },
  {
    folder: "test/start/restart",
    find: findHaproxy,
    title: "NOT TESTED BEHIND A BALANCER",
    missing: "There is no HAProxy on this machine",
    remedy: "Install it (apt-get install haproxy).",
  },
  ...["test/start/database-disk", "test/config/sentence", "test/store/sqlite-full"].map(
    (folder) => ({
      folder,
      find: () => canMount() || undefined,
      title: "NOT TESTED ON A DISK THAT IS FULL",
      missing: "A small file system cannot be mounted here: that takes root on Linux",
      remedy: "Run these tests as root.",
    }),
  ),
] as const;

/** A reporter of Jest that says at the end of a run which tests had nothing to run in. */
// biome-ignore lint/style/noDefaultExport: Jest takes a reporter in no other way.
export default class Missing {
  onRunComplete(_contexts: unknown, { testResults }: Results): void {
    const skipped = testResults
      .filter(({ numPendingTests }) => numPendingTests > 0)
      .map(({ testFilePath }) => relative(`${import.meta.dirname}/../..`, testFilePath))
      .sort();
    for (const { folder, find, title, missing, remedy } of needs) {
      const files = skipped.filter((file) => file.startsWith(folder));
      if (files.length === 0 || find() !== undefined) continue;
      process.stderr.write(`
${` ${title} `.padStart((65 + title.length) / 2 + 1, "=").padEnd(65, "=")}
${missing}, so these tests were skipped:

${files.map((file) => `  ${file}\n`).join("")}
${remedy}
${"=".repeat(65)}
`);
    }
  }
}
