import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { fingerprint, loadOrCreateKeyFile } from "../../src/secrets/keys.ts";

/*
 * A process of its own for key-file.test.ts: node key-file-child.ts <data directory>. It prints
 * "waiting", begins when it reads something, and prints the fingerprint of the key that it got.
 */

const [dataDir = ""] = process.argv.slice(2);
process.stdout.write("waiting\n");
await once(process.stdin, "data");
const [key] = await loadOrCreateKeyFile(dataDir, randomBytes);
process.stdout.write(`${fingerprint(key.secret)}\n`);
process.exit(0);
