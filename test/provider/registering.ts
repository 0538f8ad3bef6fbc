import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { login, type NamingPolicy } from "../../src/domain/policy/login.ts";
import { policyId } from "../../src/domain/policy/policy.ts";
import {
  type KeptRegistration,
  type PendingRegistration,
  registrationField,
} from "../../src/domain/registration/pending.ts";
import { hashSecret } from "../../src/secrets/tokens.ts";
import type { Browser, Page } from "./browser.ts";
import { type App, begin, type Parties } from "./relying.ts";

export const names = { firstName: "Grace", lastName: "Hopper" };
export const password = "a better horse battery";

/** Sets the login policy of an organization, whatever calls say; left out, of the instance. */
export async function setPolicy(
  { server }: Parties,
  given: Partial<NamingPolicy>,
  organization?: string,
): Promise<void> {
  const { secondFactors: _kept, ...payload } = { ...login.defaults, ...given };
  const outcome = await server.execute({
    actor: "test",
    writes: {
      policy: {
        noun: login.noun,
        id: policyId(organization),
        owner: organization ?? server.admin.organization,
      },
    },
    decide: () => ({ events: { policy: [{ type: "policy.login.changed" as const, payload }] } }),
  });
  if (outcome.kind !== "done") throw new Error(outcome.kind);
}

/** Opens the login of an application and asks to register; answers the page behind the form. */
export async function register(
  browser: Browser,
  app: App,
  email: string,
  parameters: { readonly [name: string]: string } = {},
) {
  const begun = await begin(app, parameters);
  await browser.open(begun.url.href);
  if (!browser.page.text.includes('value="register-ask"')) await browser.send({}, "register");
  const page = await browser.send({ ...names, email }, "register-ask");
  return { begun, page };
}

/** What waits in the login of a page. */
export async function pendingOf(
  { server, clock }: Parties,
  { url }: Pick<Page, "url">,
): Promise<PendingRegistration | undefined> {
  const uid = new URL(url).pathname.split("/").at(-1) ?? "";
  const key = `PendingRegistration:${hashSecret(uid)}`;
  const kept = await server.store.artifacts.find(key, clock.nowMs);
  if (kept === undefined) return undefined;
  const { id, sealed } = JSON.parse(kept.payload) as KeptRegistration;
  return JSON.parse(server.keyring.open(sealed, registrationField(id))) as PendingRegistration;
}

/** The mails to an address, once all that waits has been sent. */
export async function mailsTo({ server }: Parties, email: string): Promise<readonly string[]> {
  const outbox = join(server.dataDir, "outbox");
  for (let tries = 0; tries < 200; tries += 1) {
    const { objects = [] } = (await server.store.list(waiting)) ?? {};
    if (objects.length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  const files = await readdir(outbox).catch(() => []);
  const all = await Promise.all(files.sort().map((name) => readFile(join(outbox, name), "utf8")));
  return all.filter((text) => text.includes(`\nTo: ${email}\n`));
}

const waiting = { kind: "registration", offset: 0, limit: 1 } as const;

/** The code of a mail. */
export function codeIn(mail: string | undefined): string {
  return /^\n*([A-Z2-9]{6})$/m.exec(mail ?? "")?.[1] ?? "";
}

/** Registers up to the page on which somebody chooses how to log in. */
export async function prove(parties: Parties, browser: Browser, app: App, email: string) {
  const { begun } = await register(browser, app, email);
  const mails = await mailsTo(parties, email);
  const page = await browser.send({ code: codeIn(mails.at(-1)) }, "register-code");
  return { begun, page };
}
