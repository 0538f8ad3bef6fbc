import { readFileSync, statfsSync } from "node:fs";
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
  // A watch that ends, and one that many follow, is in the calls of the others.
  "/test/api/watch-(?:end|resume|slow)\\.",
  // The looks of pages run in the browser; what they do runs without one.
  "/test/browser/(?:account|below-path|device|flow|forgotten|grpc-web|login|loopback|story)\\.",
  "/test/deploy/(?:container|proxies|systemd)\\.",
  // The document is counted and served in short.
  "/test/described/client\\.",
  "/test/disk/outcome\\.",
  // The login without a browser and what the README prints are run.
  "/test/examples/(?:follow-events|import-users|provision-project|readme|shell|start|web)\\.",
  "/test/execute/read-your-writes\\.",
  // Other peers that do wrong are in the messages, the limits and test/threats.
  "/test/gateway/(?:call/traced|hostile/socket|lifecycle)\\.",
  "/test/notify/process\\.",
  "/test/port/certificate\\.",
  // A login with a library, and all that may be refused, is in the others.
  "/test/provider/(?:compliance|forgotten|hybrid-profile|logout-many|logout-profile)\\.",
  // What a node of before refuses is in test/store.
  "/test/provider/(?:signing|strangers|taken-over)\\.",
  // The first start, one that is killed, a backup and verify are run.
  "/test/log/(?:audit|checkpoint|forger|replaced|transfer)\\.",
  "/test/log/database-(?:audit|forged|history)\\.",
  "/test/operate/(?:copy|copy-erased|keys|signing)\\.",
  "/test/start/(?:metrics|chain|database-disk|database-life|killed|loading|processes|restart)\\.",
  "/test/store/postgres-(?:crash|pooler|refusal|rolling|tls|verify(?:-tables)?)\\.",
  "/test/store/sqlite-(?:lock|process|verify-derived)\\.",
  // The shares of strangers are in test/gateway.
  "/test/threats/exhaustion\\.",
  "/test/witness/",
];

/** What reaches little that others do not: "make test" asks for that, and test/reach.ts made it. */
const leftOut = () => {
  if (process.env.IAM_TEST_LEAVE_OUT !== "1") return [];
  const files = readFileSync(join(import.meta.dirname, "test/reach/left-out.txt"), "utf8");
  return files
    .trimEnd()
    .split("\n")
    .map((file) => `<rootDir>/${file.replaceAll(".", "\\.")}$`);
};

export default {
  testEnvironment: "<rootDir>/test/runner/environment.ts",
  runtime: "<rootDir>/test/runner/runtime.ts",
  injectGlobals: false,
  // Node itself strips the types.
  transform: {},
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  testPathIgnorePatterns: process.env.IAM_TEST_ALL === "1" ? [] : [...inFullOnly, ...leftOut()],
  reporters: [
    "default",
    ...["underway", "missing", "failed"].map((name) => `<rootDir>/test/runner/${name}.ts`),
  ],
  // In full, tests wait more than they work.
  maxWorkers: process.env.IAM_TEST_ALL === "1" ? 3 : 2,
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
