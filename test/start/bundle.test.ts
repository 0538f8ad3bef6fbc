import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, test } from "@jest/globals";
import { plant } from "../harness/plant.ts";
import { endProcesses, inDirectory, startProcess } from "../harness/process.ts";

/** Writes the path of each file that is loaded to standard error. */
const hooks = `
  import { registerHooks } from "node:module";
  registerHooks({
    load(url, context, next) {
      if (url.startsWith("file:")) process.stderr.write("loaded " + url + "\\n");
      return next(url, context);
    },
  });`;
const nodeFlags = ["--import", `data:text/javascript,${encodeURIComponent(hooks)}`];

afterEach(endProcesses);

test("a bundle starts from few files, and finds all that lies beside the sources", () =>
  inDirectory(async (directory) => {
    const project = join(directory, "project");
    await plant(project, { name: "none", edits: [] });
    const run = promisify(execFile);
    await run(process.execPath, [join(project, "src/start/bundle.ts")]);
    const dataDir = join(directory, "data");
    const args = ["--port", "0", "--data-dir", dataDir];
    const service = startProcess(args, { project, nodeFlags });
    const url = await service.listening;
    const loaded = service.stderr().match(/(?<=^loaded file:.*\/).*$/gm) ?? [];
    const files = service.stderr().match(/(?<=^loaded file:.*\/project\/).*$/gm) ?? [];
    expect(files.filter((file) => !file.startsWith("bundle/")).toSorted()).toEqual([
      "src/main.js",
      "src/start/node.js",
      "src/start/own-files.js",
    ]);
    expect(loaded.length).toBeLessThan(100);

    const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const ask = async (path: string, body?: object) => {
      const method = body === undefined ? "GET" : "POST";
      const answer = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
      return [answer.status, await answer.text()] as const;
    };
    // A description beside the generated code, and files of pages.
    expect(await ask("/openapi.json")).toEqual([200, expect.stringContaining("ImportHumanUser")]);
    const [, page] = await ask("/ui/login");
    expect(page).toContain("style.css");
    // The thread of passwords, and packages that only such a person needs.
    const person = {
      ...{ userName: "ada", profile: { firstName: "Ada", lastName: "Ada" } },
      phone: { phone: "+41791234567" },
      ...{
        email: { email: "ada@example.com", isEmailVerified: true },
        password: "Secret-password-1!",
      },
    };
    expect(await ask("/management/v1/users/human/_import", person)).toEqual([
      200,
      expect.anything(),
    ]);
    // The library of OpenID Connect.
    const { userId } = JSON.parse(
      (await ask("/management/v1/users/machine", { userName: "robot", name: "Robot" }))[1],
    );
    const secret = await fetch(`${url}/management/v1/users/${userId}/secret`, {
      ...{ method: "PUT", headers, body: "{}" },
    });
    const { clientId, clientSecret } = JSON.parse(await secret.text());
    const proof = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
    const tokens = await fetch(`${url}/oauth/v2/token`, {
      ...{ method: "POST", headers: { authorization: `Basic ${proof}` } },
      body: new URLSearchParams({ grant_type: "client_credentials", scope: "openid" }),
    });
    expect(await tokens.json()).toMatchObject({ token_type: "Bearer" });
    // The thread of scripts.
    const script = { script: "function f() {}", name: "f", flowType: "2", triggerType: "4" };
    expect(await ask("/management/v1/actions/_test", script)).toEqual([200, expect.anything()]);
    service.kill("SIGTERM");
    expect(await service.ended).toMatchObject({ code: 0 });
    const { stdout } = await run(process.execPath, [
      ...[join(project, "src/main.js"), "verify", "--data-dir", dataDir],
    ]);
    expect(stdout).toContain("nothing is damaged");
  }));
