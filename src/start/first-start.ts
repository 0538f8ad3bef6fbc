import { access, constants } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ConfigError, labelOf } from "../config/config.ts";
import { settings } from "../config/settings.ts";
import { instance, instanceId, setUpInstance } from "../domain/instance.ts";
import { idOf, isStreamOf } from "../domain/noun.ts";
import { org } from "../domain/org.ts";
import { project } from "../domain/project.ts";
import { hasToken } from "../domain/user/credential/token.ts";
import { isActiveOwner, tokenClaim, user } from "../domain/user/state/user.ts";
import type { Execute } from "../execute/execute.ts";
import { readCounted } from "../execute/owner.ts";

import { makeDirectory, readOrCreate } from "../file.ts";
import { createToken, hashSecret, isToken, type RandomBytes } from "../secrets/tokens.ts";
import type { Store } from "../store/store.ts";
import { ownerLinkFile } from "./owner-link.ts";

/** Where the token of the first user is left, in the data directory. */
export const tokenFile = "admin.token";

/**
 * Makes the data directory where there is none, for its owner alone. Rejects with a ConfigError
 * where that, or writing to it, is not possible.
 */
export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await makeDirectory(dataDir);
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const name = `${dataDir}, ${labelOf(settings.dataDir)},`;
    const why = code === "EEXIST" ? "it is a file" : code;
    throw new ConfigError(`${name} cannot be used as the data directory: ${why}`, { cause });
  }
}

interface FirstStart {
  readonly execute: Execute;
  readonly dataDir: string;
  readonly newId: () => string;
  readonly random: RandomBytes;
}

/**
 * Sets up the instance in a log that has none, and answers the id of the project to begin with, or
 * undefined where another process was faster. The token is on disk before its owner is in the log,
 * and the next start uses the token that is there, so neither a crash nor a second process can
 * leave a log that nobody has access to. Rejects with a ConfigError where the token's file holds
 * something else.
 */
export async function setUp({
  execute,
  dataDir,
  newId,
  random,
}: FirstStart): Promise<string | undefined> {
  const tokenHash = hashSecret(await firstToken(dataDir, random));
  const ids = { organization: newId(), project: newId(), owner: newId(), token: newId() };
  const { organization: owner } = ids;
  const outcome = await execute({
    actor: ids.owner,
    writes: {
      instance: { noun: instance, id: instanceId, owner },
      org: { noun: org, id: ids.organization, owner },
      project: { noun: project, id: ids.project, owner },
      user: { noun: user, id: ids.owner, owner },
    },
    relies: {},
    decide: (states) => setUpInstance(states.instance, { ids, tokenHash }),
  });
  if (outcome.kind !== "done") throw new Error(`the first start was refused: ${outcome.kind}`);
  return outcome.written.length > 0 ? ids.project : undefined;
}

/** Whether a token, of which this is the hash, lets an owner of the instance in. */
export async function isOwnersToken(
  store: Pick<Store, "find" | "load">,
  tokenHash: string,
  nowMs: number,
): Promise<boolean> {
  const stream = await store.find(tokenClaim(tokenHash));
  if (stream === undefined || !isStreamOf(user, stream)) return false;
  const state = (await readCounted(store, user, idOf(user, stream)))?.state;
  // Claims and marks have no MAC: what the state says counts.
  return state ? hasToken(state, tokenHash, nowMs) && isActiveOwner(state) : false;
}

/** The token in the data directory; a fresh one where there is none. */
async function firstToken(dataDir: string, random: RandomBytes): Promise<string> {
  const path = join(dataDir, tokenFile);
  const token = (await readOrCreate(path, () => `${createToken(random)}\n`, random)).trim();
  if (!isToken(token)) {
    throw new ConfigError(
      `${path} has no valid token: remove it, then start again to get a new one.`,
    );
  }
  return token;
}

interface FirstCall {
  readonly url: string;
  readonly dataDir: string;
  readonly project: string;
  readonly tlsCert: string;
}

/** What a new instance says: where its owner's token and link are, and a call to paste. */
export function firstCall({ url, dataDir, project, tlsCert }: FirstCall): string {
  const [tokenPath, linkPath] = [join(dataDir, tokenFile), join(dataDir, ownerLinkFile)];
  const trust = tlsCert === "" ? "" : ` --cacert ${shellQuoted(resolve(tlsCert))}`;
  return `This is a new instance. The token of its owner is in ${tokenPath}
Open the link in ${linkPath} to become an owner who logs in. It works once, within a day.
Create a first application in another terminal:

  curl${trust} ${url}/management/v1/projects/${project}/apps/oidc \\
    --header "authorization: Bearer $(cat ${shellQuoted(tokenPath)})" \\
    --header 'content-type: application/json' \\
    --data '{"name": "My first application", "redirectUris": ["https://app.example.com/callback"]}'
`;
}

function shellQuoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
