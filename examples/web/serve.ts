import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { env, stdout } from "node:process";

// Serves the page of this directory, and the modules that it imports as they lie on the disk:
//
//   node examples/web/serve.ts
//
// The service must let the page in: IAM_CORS_ORIGINS=http://127.0.0.1:8081 make run

const { IAM_URL = "http://127.0.0.1:8080", PORT = "8081" } = env;
const root = join(import.meta.dirname, "../..");
const types: { readonly [extension: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};
/** Nothing else of the project is anybody's business, least of all its data directory. */
const modules =
  /^\/(?:gen|node_modules\/@(?:bufbuild|connectrpc)\/[\w-]+\/dist\/esm)\/[\w/.-]+\.js$/;
const page = ["/users.js", "/users.css"];

// What bundlers do at build time: names of packages become places.
const packages = ["@bufbuild/protobuf", "@connectrpc/connect", "@connectrpc/connect-web"];
const imports = Object.assign({}, ...(await Promise.all(packages.map(importsOf))));
const importMap = JSON.stringify({ imports });
const html = (await readFile(join(import.meta.dirname, "index.html"), "utf8"))
  .replace('type="importmap">', `$&${importMap}`)
  .replace("http://127.0.0.1:8080", new URL(IAM_URL).origin);

// The page holds a token, so it runs no other script and talks to nobody but the service.
const policy = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${createHash("sha256").update(importMap).digest("base64")}'`,
  ...["style-src 'self'", "img-src data:"],
  `connect-src ${new URL(IAM_URL).origin}`,
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join("; ");

const server = createServer(async ({ url = "/" }, response) => {
  // Resolving the path takes "..", in whatever spelling, out of it.
  const pathname = URL.parse(url, "http://page")?.pathname ?? "";
  const body = await contentOf(pathname).catch(() => undefined);
  response.writeHead(body === undefined ? 404 : 200, {
    "content-type": types[extname(pathname) || ".html"] ?? "text/plain",
    "content-security-policy": policy,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  });
  response.end(body ?? "There is nothing here.\n");
});
server.listen(Number(PORT), "127.0.0.1");
await once(server, "listening");
stdout.write(`the page is at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);

async function contentOf(path: string): Promise<string | Buffer | undefined> {
  if (path === "/") return html;
  if (page.includes(path)) return await readFile(join(import.meta.dirname, path));
  return modules.test(path) ? await readFile(join(root, path)) : undefined;
}

/** What a package says can be imported from it, and where that lies. */
async function importsOf(name: string): Promise<{ readonly [specifier: string]: string }> {
  const { exports } = JSON.parse(
    await readFile(join(root, "node_modules", name, "package.json"), "utf8"),
  ) as { readonly exports: { readonly [path: string]: { readonly import: string } } };
  return Object.fromEntries(
    Object.entries(exports).map(([path, { import: file }]) => [
      join(name, path),
      `/${join("node_modules", name, file)}`,
    ]),
  );
}
