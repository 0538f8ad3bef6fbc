import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Every commit of the service waits until it is on the disk, and the tests make thousands. Where
// the machine has a file system in memory with room for them, that is where temporary files go.
process.env.TMPDIR ??= inMemory("/dev/shm", 1 << 30);

// Workers and the processes that tests start load hundreds of modules: compiled once, not by each.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules", ".cache", "node");

/** What other files show in short, or what takes seconds however short it is. */
const inFullOnly = [
  "/test/abuse/",
  // The page of the account runs in the browser, and without scripts all are in test/pages.
  "/test/browser/(?:below-path|flow|forgotten|grpc-web|login|loopback)\\.",
  // Those that make a project run: one with its library, one with curl and buf.
  "/test/examples/(?:follow-events|import-users|web)\\.",
  // A login with a library, and all that may be refused, is in the others.
  "/test/provider/(?:compliance|hybrid-profile|logout-profile)\\.",
  "/test/witness/",
  "/test/start/database-(?:audit|disk|life)\\.",
  "/test/store/postgres-crash\\.",
];

export default {
  testEnvironment: "<rootDir>/test/runner/environment.ts",
  runtime: "<rootDir>/test/runner/runtime.ts",
  injectGlobals: false,
  // Node itself strips the types.
  transform: {},
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  testPathIgnorePatterns: process.env.IAM_TEST_ALL === "1" ? [] : inFullOnly,
  reporters: [
    "default",
    ...["underway", "missing", "failed"].map((name) => `<rootDir>/test/runner/${name}.ts`),
  ],
  maxWorkers: 3,
  // A worker that is told to end does so at once, which may take more than Jest's half second.
  workerGracefulExitTimeout: 30_000,
  // As in test/harness/extent.ts.
  testTimeout: process.env.IAM_TEST_ALL === "1" ? 180_000 : 30_000,
};

function inMemory(path, bytesMin) {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize < bytesMin ? tmpdir() : path;
  } catch {
    return tmpdir();
  }
}
