import { afterEach, expect, test } from "@jest/globals";
import { endProcesses, inDirectory, startProcess } from "../harness/process.ts";

/** What a few calls need, and the start of every process would pay for. */
const late = [
  ...["@node-rs/argon2", "@node-rs/bcrypt", "@simplewebauthn/server", "ajv"],
  ...["libphonenumber-js", "nodemailer", "piscina", "undici"],
];

/** Writes the name of each package whose code is loaded to standard error. */
const hooks = `
  import { registerHooks } from "node:module";
  const packageOf = (url) => url.split("/node_modules/").at(-1).match(/^(?:@[^/]+\\/)?[^/]+/)?.[0];
  registerHooks({
    load(url, context, next) {
      if (url.includes("/node_modules/")) process.stderr.write(packageOf(url) + "\\n");
      return next(url, context);
    },
  });`;

afterEach(endProcesses);

test("a start loads nothing that only a few calls need", () =>
  inDirectory(async (directory) => {
    const nodeFlags = ["--import", `data:text/javascript,${encodeURIComponent(hooks)}`];
    const service = startProcess(["--port", "0", "--data-dir", directory], { nodeFlags });
    await service.listening;
    service.kill("SIGTERM");
    await service.ended;
    const loaded = new Set(service.stderr().split("\n"));
    expect([...loaded]).toEqual(expect.arrayContaining(["fastify", "better-sqlite3"]));
    expect(late.filter((name) => loaded.has(name))).toEqual([]);
  }));
