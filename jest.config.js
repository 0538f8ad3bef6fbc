import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

// Every commit of the service waits until it is on the disk, and the tests make thousands. Where
// the machine has a file system in memory with room for them, that is where temporary files go.
process.env.TMPDIR ??= inMemory("/dev/shm", 1 << 30);

export default {
  testEnvironment: "node",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      {
        jsc: { parser: { syntax: "typescript" }, target: "es2024" },
        module: { type: "es6" },
      },
    ],
  },
  reporters: ["default", "<rootDir>/test/browser/missing.ts"],
  maxWorkers: 2,
  testTimeout: 30_000,
};

function inMemory(path, bytesMin) {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize < bytesMin ? tmpdir() : path;
  } catch {
    return tmpdir();
  }
}
