import { randomBytes } from "node:crypto";
import { createPasswords, type Passwords } from "../../src/secrets/passwords/passwords.ts";
import { createRandom } from "../../src/secrets/random.ts";

/** Of all servers in a worker: to start a thread takes longer than to start a server. */
let shared: Passwords | undefined;

const hashes = new Map<string, Promise<string>>();
const verdicts = new Map<string, Promise<boolean>>();

/**
 * The same passwords, of which a worker hashes and verifies each but once: that takes longer than
 * all else in most tests, and they use few.
 */
export function remembering(passwords: Passwords): Passwords {
  return {
    ...passwords,
    hashPassword: (password, waits) =>
      once(hashes, password, () => passwords.hashPassword(password, waits)),
    verifyPassword: (password, hash, waits) =>
      once(verdicts, JSON.stringify([password, hash]), () =>
        passwords.verifyPassword(password, hash, waits),
      ),
  };
}

/** The same for servers that have none of their own: nobody closes their threads. */
export function borrowPasswords(): Passwords {
  shared ??= remembering(createPasswords({ random: createRandom(randomBytes) }));
  return { ...shared, close: async () => {} };
}

/** What was found for the key; what could not be found is looked for again the next time. */
function once<T>(known: Map<string, Promise<T>>, key: string, find: () => Promise<T>): Promise<T> {
  const found = known.get(key) ?? find();
  known.set(key, found);
  found.catch(() => known.delete(key));
  return found;
}
