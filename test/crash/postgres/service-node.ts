import { writeSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startProcess } from "../../harness/process.ts";
import { type Ended, type Watch, watching } from "../../harness/watches.ts";
import { asksOf } from "../http.ts";
import type { Told } from "./node.ts";
import type { Node, NodeOptions, Watching } from "./nodes.ts";

/** Milliseconds for which a watch waits for news. */
const watchMs = 500;
/** Milliseconds before somebody looks again for the token that one of the nodes leaves. */
const againMs = 50;

/** Starts a node as its operator does, in a data directory beside those of the others. */
export function startServiceNode(dataDir: string, { env, project, stderr }: NodeOptions): Node {
  const args = ["serve", "--port=0", `--data-dir=${dataDir}`, "--log-level=warn"];
  const hear = (text: string) => void writeSync(stderr, text);
  const service = startProcess(args, { env, project, hear });
  let isGone = false;
  const callers = service.listening.then(async (url) => {
    const token = await tokenBeside(dataDir, url, () => isGone);
    return { url, token, ...asksOf(url, token) };
  });
  const close = async () => {
    await service.ended;
    isGone = true;
    await callers.then((all) => all.close()).catch(() => {});
  };
  let asked = 0;
  return {
    ready: callers.then(
      () => true,
      () => false,
    ),
    async ask(what) {
      const { asks } = await callers;
      asked += 1;
      return await asks[asked % asks.length]!(what);
    },
    watch(from) {
      const watch = callers.then(({ url, token }) =>
        watching("grpc", url, token, from === "" ? {} : { resumeToken: from }),
      );
      return follow(watch);
    },
    async stop() {
      service.kill("SIGTERM");
      await close();
    },
    async kill() {
      service.killGroup("SIGKILL");
      await close();
    },
    signal: service.kill,
    gone: service.ended,
  };
}

/**
 * The token of the owner, as soon as the node has left it that set the instance up. One that was
 * killed before its owner was in the log has left another, which is worth nothing.
 */
async function tokenBeside(dataDir: string, url: string, isOver: () => boolean): Promise<string> {
  while (!isOver()) {
    for await (const path of glob(join(dirname(dataDir), "*/admin.token"))) {
      const token = (await readFile(path, "utf8")).trim();
      if (await isOwners(token, url)) return token;
    }
    await pause(againMs);
  }
  throw new Error("no node has left a token");
}

async function isOwners(token: string, url: string): Promise<boolean> {
  const { status } = await fetch(`${url}/management/v1/projects/_search`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: "{}",
  });
  return status !== 401;
}

/** Reads a watch to its end, and tells what has come in the meantime whenever it is asked. */
function follow(opened: Promise<Watch>): Watching {
  let tokens: string[] = [];
  let ended: Ended | undefined;
  let wake = () => {};

  async function read(): Promise<void> {
    const watch = await opened;
    for (;;) {
      const { event, resumeToken } = await watch.next();
      if (event === undefined) continue;
      tokens.push(resumeToken);
      wake();
    }
  }
  read().catch((end: Ended) => {
    ended = end;
    wake();
  });

  return {
    async next(): Promise<Told> {
      if (tokens.length === 0 && ended === undefined) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await Promise.race([promise, pause(watchMs, undefined, { ref: false })]);
      }
      const told = tokens;
      tokens = [];
      if (told.length > 0 || ended === undefined) return { kind: "events", tokens: told };
      if (ended.reason === "RESUME_TOKEN_OUTDATED") return { kind: "outdated" };
      throw new Error(`a watch ended with ${ended.reason}`);
    },
    leave: () => void opened.then((watch) => watch.leave()).catch(() => {}),
  };
}
