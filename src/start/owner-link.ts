import { join } from "node:path";
import { ConfigError } from "../config/config.ts";
import { instance, instanceId } from "../domain/instance.ts";
import { addFirstOwnerLink, addOwnerLink } from "../domain/owner-link.ts";
import { operator } from "../domain/user/state/made.ts";
import type { Execute } from "../execute/execute.ts";
import { readOrCreate, replace } from "../file.ts";
import { createClientSecret, hashSecret, type RandomBytes } from "../secrets/tokens.ts";

/** Where the link is left by which a person becomes an owner, in the data directory. */
export const ownerLinkFile = "owner.link";

interface Leaving {
  readonly execute: Execute;
  readonly dataDir: string;
  /** What links begin with, without a slash at the end. */
  readonly url: string;
  readonly random: RandomBytes;
}

/**
 * Leaves the link of a first start. It is on the disk before the log knows it, and who goes on
 * with that start takes the one that is there, so a crash leaves no link that nobody has. Rejects
 * with a ConfigError where its file holds something else.
 */
export async function leaveFirstOwnerLink({
  execute,
  dataDir,
  url,
  random,
}: Leaving): Promise<void> {
  const path = join(dataDir, ownerLinkFile);
  const fresh = () => `${linkOf(url, createClientSecret(random))}\n`;
  const found = await readOrCreate(path, fresh, random);
  const [, code] = form.exec(found) ?? [];
  if (code === undefined) {
    throw new ConfigError(
      `${path} has no valid link: remove it, then start again to get a new one.`,
    );
  }
  // A start that was cut short may have listened elsewhere.
  const link = `${linkOf(url, code)}\n`;
  if (link !== found) await replace(path, link, random);
  await add(execute, addFirstOwnerLink, code);
}

/**
 * Leaves another link, which replaces the one before; answers where it is. Where its file
 * cannot be written, that one stays valid.
 */
export async function leaveOwnerLink({ execute, dataDir, url, random }: Leaving): Promise<string> {
  const path = join(dataDir, ownerLinkFile);
  const code = createClientSecret(random);
  await replace(path, `${linkOf(url, code)}\n`, random);
  await add(execute, addOwnerLink, code);
  return path;
}

const form = /\/ui\/owner\?code=([\w-]{43})\n$/;

function linkOf(url: string, code: string): string {
  return `${url}/ui/owner?code=${code}`;
}

async function add(execute: Execute, decide: typeof addOwnerLink, code: string): Promise<void> {
  const outcome = await execute({
    actor: operator,
    writes: { instance: { noun: instance, id: instanceId } },
    decide: (states, nowMs) => decide(states.instance, hashSecret(code), nowMs),
  });
  if (outcome.kind !== "done") throw new Error(`no link could be created: ${outcome.kind}`);
}
