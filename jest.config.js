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
  maxWorkers: 2,
  testTimeout: 30_000,
};
