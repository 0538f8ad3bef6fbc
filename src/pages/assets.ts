import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { constants, gzip, type ZlibOptions } from "node:zlib";
import type { ServedFile } from "./account.ts";
import type { AssetName } from "./html/page.ts";

/** A file that pages are made with. */
export interface Asset extends ServedFile {
  /** Below `/ui/`; it changes with what is in the file, which may then be kept forever. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly gzip: Buffer;
}

export type Assets = { readonly [name in AssetName]: Asset };

/** The files of our own. */
const ownNames = [
  "login.js",
  "passkey.js",
  "passkey-form.js",
  "passkey-login.js",
  "passkey-register.js",
  "passkey-send.js",
  "password.js",
  "time.js",
  "style.css",
  "icon.svg",
] as const satisfies readonly AssetName[];

/** Reads the files once; a server without them does not start. */
export async function readAssets(): Promise<Assets> {
  const own = ownNames.map(async (name) => {
    return [name, await read(name, new URL(`./assets/${name}`, import.meta.url))] as const;
  });
  const assets = Object.fromEntries(await Promise.all(own));
  return { ...(assets as OwnAssets), "webauthn.js": await read("webauthn.js", webauthnBundle()) };
}

type OwnAssets = { readonly [name in (typeof ownNames)[number]]: Asset };

/** The one file that the library makes for browsers; it is not among what can be imported. */
function webauthnBundle(): URL {
  const main = createRequire(import.meta.url).resolve("@simplewebauthn/browser");
  return new URL("../dist/bundle/index.umd.min.js", pathToFileURL(main));
}

const pack = promisify(gzip) as (bytes: Buffer, options: ZlibOptions) => Promise<Buffer>;

async function read(name: AssetName, url: URL): Promise<Asset> {
  const bytes = await readFile(url);
  const version = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  const [, extension = ""] = name.split(".");
  const contentType = `${types.get(extension)}; charset=utf-8`;
  const packed = await pack(bytes, { level: constants.Z_BEST_COMPRESSION });
  return { path: `assets/${version}/${name}`, contentType, bytes, gzip: packed };
}

const types = new Map([
  ["css", "text/css"],
  ["js", "text/javascript"],
  ["svg", "image/svg+xml"],
]);
