import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { streamOf } from "../../src/domain/noun.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { projector } from "../../src/log/projector.ts";
import { tokenFile } from "../../src/start/first-start.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { sealingIn } from "../harness/log-keys.ts";
import { endProcesses, inDirectory, startProcess } from "../harness/process.ts";
import { addAuthenticator } from "./authenticator.ts";
import { describeInChromium, launchChromium, newProfile, see } from "./chromium.ts";

interface Imported {
  readonly userId: string;
  readonly passwordlessRegistration: { readonly link: string };
}

describeInChromium("a service that was started with no settings", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterEach(endProcesses);
  afterAll(() => browser?.close());

  test("lets a person create a passkey from the link that it answers", async () => {
    await inDirectory(async (directory) => {
      // Only where its files are, and which port is free, is this machine's.
      const env = { IAM_DATA_DIR: directory, IAM_PORT: "0" };
      const service = startProcess([], { env });
      const url = await service.listening;
      const token = (await readFile(join(directory, tokenFile), "utf8")).trim();
      const response = await fetch(`${url}/management/v1/users/human/_import`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({
          userName: "ada",
          email: { email: "ada@example.com" },
          profile: { firstName: "Ada", lastName: "Lovelace" },
          requestPasswordlessRegistration: true,
        }),
      });
      const { userId, passwordlessRegistration } = (await response.json()) as Imported;
      const { link } = passwordlessRegistration;
      const page = await (await newProfile(browser)).newPage();
      const device = await addAuthenticator(page);

      // A passkey belongs to a name, and this is another one.
      await page.goto(link.replace("//localhost:", "//localhost.:"));
      await page.getByRole("button", { name: "Create passkey" }).click();
      await page.getByRole("alert").getByText("can’t be created at this address").waitFor();

      // Who comes by another name that this machine has for sure is led to this one.
      await page.goto(link.replace("//localhost:", "//127.0.0.1:"));
      await see(page, "Create a passkey");
      expect(page.url()).toBe(link);
      await page.getByRole("button", { name: "Create passkey" }).click();
      await see(page, "Your passkey is ready");
      await page.getByText("It now belongs to your account.").waitFor();

      const passkeys = await device.passkeys();
      expect(passkeys).toMatchObject([{ rpId: "localhost", userId, isResident: true }]);
      service.kill("SIGTERM");
      expect(await service.ended).toEqual({ code: 0, signal: null });
      const store = await openSqlite({
        path: join(directory, "iam.db"),
        projector,
        ...sealingIn(directory),
      });
      const events = await store.readStream(streamOf(user, userId), 0, 100);
      await store.close();
      const last = events.at(-1)!;
      expect(last.type).toBe("user.human.passwordless.token.added");
      expect(JSON.parse(last.payload)).toMatchObject({ credentialId: passkeys[0]!.credentialId });
    });
  });
});
