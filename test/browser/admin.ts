import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { createWatch } from "../notify/watch.ts";
import { type FileServer, serveFiles } from "./files.ts";

/** What a page tells of a call. */
export type Told =
  | { readonly answer: Fields; readonly refusal?: undefined }
  | { readonly answer?: undefined; readonly refusal: Refusal };

/** An answer as JSON, of which tests look at the members that they know. */
export type Fields = { readonly [name: string]: unknown };

export interface Refusal {
  readonly code: string;
  /** Undefined where the page could read none. */
  readonly reason?: string;
  readonly text: string;
}

/** `admin.js` in a browser. */
export interface AdminPage {
  /** Content types of the calls that the browser sent, preflights apart. */
  readonly sent: readonly string[];
  /** What the browser said on its console. */
  readonly said: readonly string[];
  /** Waits until it has said that. */
  says(words: string): Promise<void>;
  call(method: string, request: Fields): Promise<Told>;
  watch(request: Fields & { readonly sequence: string }): Promise<void>;
  next(): Promise<Told>;
  abort(): Promise<Told>;
}

const root = join(import.meta.dirname, "../..");
const packages = ["@bufbuild/protobuf", "@connectrpc/connect", "@connectrpc/connect-web"];
const served = /^\/(?:gen|test\/browser|node_modules\/@(?:bufbuild|connectrpc))\/[\w@/.-]+\.js$/;

/** Serves `admin.js` as any web server would: one page, and modules as they lie on the disk. */
export async function startAdminSite(): Promise<FileServer> {
  const html = { contentType: "text/html", body: await document() };
  return await serveFiles(async (path) => {
    if (path === "/") return html;
    if (!served.test(path)) return undefined;
    return { contentType: "text/javascript", body: await readFile(join(root, path)) };
  });
}

async function document(): Promise<string> {
  const imports = Object.assign({}, ...(await Promise.all(packages.map(importsOf))));
  return `<!doctype html>
<html lang="en">
<title>Administration</title>
<link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module" src="/test/browser/admin.js"></script>
`;
}

/** What the package says can be imported from it, and where that lies. */
async function importsOf(name: string): Promise<{ readonly [specifier: string]: string }> {
  const text = await readFile(join(root, "node_modules", name, "package.json"), "utf8");
  const { exports } = JSON.parse(text) as {
    readonly exports: { readonly [path: string]: { readonly import: string } };
  };
  return Object.fromEntries(
    Object.entries(exports).map(([path, { import: file }]) => [
      join(name, path),
      `/${join("node_modules", name, file)}`,
    ]),
  );
}

/** Opens the page from an origin, to call a server by a protocol. */
export async function openAdminPage(
  context: BrowserContext,
  origin: string,
  target: { readonly protocol: string; readonly url: string; readonly token: string },
): Promise<AdminPage> {
  const page = await context.newPage();
  const sent: string[] = [];
  const said: string[] = [];
  const watch = createWatch();
  const say = (words: string) => {
    said.push(words);
    watch.happened();
  };
  page.on("console", (message) => say(message.text()));
  page.on("pageerror", (error) => say(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(target.url) || request.method() === "OPTIONS") return;
    sent.push(request.headers()["content-type"] ?? "");
  });
  await page.goto(origin);
  await inPage(page, "connect", target.protocol, target.url, target.token);
  return {
    ...{ sent, said },
    says: (words) => watch.until(() => said.some((text) => text.includes(words))),
    call: (method, request) => inPage(page, "call", method, request),
    watch: (request) => inPage(page, "watch", request),
    next: () => inPage(page, "next"),
    abort: () => inPage(page, "abort"),
  };
}

/** Calls what `admin.js` offers. JSON is JavaScript. */
function inPage<T>(page: Page, name: string, ...values: readonly unknown[]): Promise<T> {
  return page.evaluate(`admin.${name}(...${JSON.stringify(values)})`);
}
