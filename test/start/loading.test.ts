import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { endProcesses, inDirectory, startProcess } from "../harness/process.ts";

/** What some calls need, and the start of every process would pay for. */
const late = [
  ...["@bufbuild/cel", "@bufbuild/protovalidate"],
  ...["@node-rs/argon2", "@node-rs/bcrypt", "@simplewebauthn/server", "@zxcvbn-ts/language-common"],
  ...["acorn", "ajv", "libphonenumber-js", "nodemailer", "oidc-provider", "openid-client"],
  ...["piscina", "qr", "quickjs-wasi", "saxes", "undici"],
  ...["pages/account.ts", "pages/html/page.ts", "pages/texts", "saml"],
  ...["provider/account", "provider/library/library.ts", "provider/login"],
];

const compiled = join(import.meta.dirname, "../../node_modules/.cache/node");

/**
 * Writes to standard error the name of each package whose code is loaded, the path of each file of
 * `src/` with those of its folders, and where what was compiled is kept.
 */
const hooks = `
  import { getCompileCacheDir, registerHooks } from "node:module";
  const packageOf = (url) => url.split("/node_modules/").at(-1).match(/^(?:@[^/]+\\/)?[^/]+/)?.[0];
  registerHooks({
    load(url, context, next) {
      if (url.includes("/node_modules/")) process.stderr.write(packageOf(url) + "\\n");
      else if (url.includes("/src/")) {
        const steps = url.split("/src/").at(-1).split("/");
        const folders = steps.map((_, index) => steps.slice(0, index + 1).join("/"));
        process.stderr.write(folders.join("\\n") + "\\n");
      }
      return next(url, context);
    },
  });
  process.on("exit", () => process.stderr.write("compiled code in " + getCompileCacheDir()));`;

afterEach(endProcesses);

test("a start loads nothing that only a few calls need, and keeps what was compiled", () =>
  inDirectory(async (directory) => {
    const nodeFlags = ["--import", `data:text/javascript,${encodeURIComponent(hooks)}`];
    const args = ["--port", "0", "--data-dir", directory];
    const service = startProcess(args, { nodeFlags, env: { NODE_COMPILE_CACHE: "" } });
    await service.listening;
    service.kill("SIGTERM");
    await service.ended;
    const loaded = new Set(service.stderr().split("\n"));
    expect([...loaded]).toEqual(expect.arrayContaining(["fastify", "better-sqlite3", "provider"]));
    expect(late.filter((name) => loaded.has(name))).toEqual([]);
    expect(service.stderr()).toContain(`compiled code in ${compiled}`);
  }));
