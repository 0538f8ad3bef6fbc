import { createHash, X509Certificate } from "node:crypto";
import { describe } from "@jest/globals";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { patience } from "../harness/extent.ts";
import { findChromium } from "./find.ts";

const executablePath = findChromium();

/**
 * Like `describe`. Nothing can take the place of a browser: where there is none, and only there,
 * the tests count as skipped, and `test/runner/missing.ts` says so.
 */
export const describeInChromium = executablePath === undefined ? describe.skip : describe;

/** How long the browser may take to start, or for one step, in milliseconds. */
const browserTimeoutMs = 15_000 * patience;

/** A server of this machine that the browser is to know by another name. */
export interface Named {
  readonly hostname: string;
  readonly port: number;
  /** The browser trusts its key as it would one that an authority vouches for. */
  readonly certificate: { readonly cert: string };
}

/** Starts the browser, for the caller to close; HTTPS for the named server arrives there. */
export async function launchChromium(named?: Named): Promise<Browser> {
  if (executablePath === undefined) throw new Error("there is no Chromium");
  return await chromium.launch({
    executablePath,
    // The sandbox refuses root, whom tests may run as; nothing is opened here but what is ours.
    args: ["--no-sandbox", ...(named ? argumentsFor(named) : [])],
    timeout: browserTimeoutMs,
  });
}

/** A browser's profile that nobody has used yet, for a person who reads English. */
export async function newProfile(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const still = { reducedMotion: "reduce" } as const;
  const context = await browser.newContext({ locale: "en-GB", ...still, ...options });
  context.setDefaultTimeout(browserTimeoutMs);
  return context;
}

/**
 * Has the pages of a profile offer no passkeys among names: the device of tests chooses at once
 * wherever it is asked, before anybody could press a button.
 */
export async function offerNoNames(context: BrowserContext): Promise<void> {
  await context.addInitScript(
    "PublicKeyCredential.isConditionalMediationAvailable = async () => false",
  );
}

/** Waits until the page has that heading. */
export async function see(page: Page, heading: string): Promise<void> {
  await page.getByRole("heading", { name: heading, exact: true, level: 1 }).waitFor();
}

function argumentsFor({ hostname, port, certificate }: Named): readonly string[] {
  const key = new X509Certificate(certificate.cert).publicKey;
  const pin = createHash("sha256").update(key.export({ type: "spki", format: "der" }));
  return [
    `--host-resolver-rules=MAP ${hostname}:443 127.0.0.1:${port}`,
    `--ignore-certificate-errors-spki-list=${pin.digest("base64")}`,
  ];
}
