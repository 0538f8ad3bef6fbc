import type { Passwords } from "../../src/secrets/passwords/passwords.ts";

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

/** What was found for the key; what could not be found is looked for again the next time. */
function once<T>(known: Map<string, Promise<T>>, key: string, find: () => Promise<T>): Promise<T> {
  const found = known.get(key) ?? find();
  known.set(key, found);
  found.catch(() => known.delete(key));
  return found;
}
