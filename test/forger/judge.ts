import { mkdir, rm } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { sentenceOf } from "../../src/config/sentence.ts";
import type { Forgery } from "./forgery.ts";
import { call } from "./life.ts";
import type { Kind, Scene, Served, Stage } from "./stage.ts";

/** What became of a forgery. */
export interface Judged {
  /** What a start on it says, or does; empty where it is forged while the service runs alone. */
  readonly start: string;
  /** The same of a node that has no head of the log yet; empty for a file, which needs one. */
  readonly bare: string;
  /** What the service does that was forged while it ran. */
  readonly running: string;
  /** The code with which `verify` ends. */
  readonly verify: number | undefined;
  /** Whether what the forger wanted has happened, one way or the other. */
  readonly effect: boolean;
}

/** What was seen of one way. */
interface Seen {
  readonly said: string;
  readonly verify: number | undefined;
  readonly effect: boolean;
}

/** Milliseconds until a service has checked its whole log. */
const auditedMs = 30_000;

/** Forges while the service stands still, and while it runs, and looks what comes of it. */
export async function judge(kind: Kind, stage: Stage, forgery: Forgery): Promise<Judged> {
  const inOne = async (isTried: boolean, way: (scene: Scene, of: Forgery) => Promise<Seen>) =>
    isTried ? await stage((scene) => way(scene, forgery)) : undefined;
  const { when } = forgery;
  const rest = await inOne(when !== "running", atRest);
  const bare = await inOne(when !== "running" && kind === "database", withoutHead);
  const running = await inOne(when !== "rest", live);
  return {
    start: rest?.said ?? "",
    bare: bare?.said ?? "",
    running: running?.said ?? "",
    verify: (rest ?? running)?.verify,
    effect: [rest, bare, running].some((seen) => seen?.effect),
  };
}

/** Whether a judgement is what docs/chain.md says. */
export function isAsDocumented({ documented, unseen }: Forgery, judged: Judged): boolean {
  return (!judged.effect || documented === true) && judged.verify === (unseen ? 0 : 1);
}

async function atRest(scene: Scene, forgery: Forgery, beforeStart = async () => {}): Promise<Seen> {
  try {
    const flags = await forgery.verifiedWith?.(scene);
    await forgery.forge(scene);
    const { code: verify } = await scene.verify(flags);
    await beforeStart();
    const started = await scene.start().catch((error) => shortly(sentenceOf(error)));
    if (typeof started === "string") return { said: `refused: ${started}`, effect: false, verify };
    try {
      const effect = await forgery.effect(scene, started.url);
      return { said: await soundOf(started), effect, verify };
    } finally {
      await started.close();
    }
  } finally {
    await forgery.undo?.(scene);
  }
}

/** The same, for a node whose data directory was empty. */
function withoutHead(scene: Scene, forgery: Forgery): Promise<Seen> {
  const { dataDir } = scene;
  return atRest(scene, forgery, async () => {
    await rm(dataDir, { recursive: true });
    await mkdir(dataDir, { mode: 0o700 });
  });
}

/** What a refusal says is wrong, without where, and what to do. */
function shortly(sentence: string): string {
  const [said = ""] = sentence.replace(/^The event log \S+ [\w ]+: /, "").split(/\n|[;.] |: put /);
  return said;
}

async function live(scene: Scene, forgery: Forgery): Promise<Seen> {
  const service = await scene.start();
  try {
    await soundOf(service);
    const flags = await forgery.verifiedWith?.(scene);
    await forgery.forge(scene);
    const effect = await forgery.effect(scene, service.url);
    const said = await wordsOfWrites(scene, service.url);
    const { code: verify } = await scene.verify(flags);
    return { said, effect, verify };
  } finally {
    await service.close();
    await forgery.undo?.(scene);
  }
}

/** What becomes of two writes: a read of the first may be what finds the forgery. */
async function wordsOfWrites({ life }: Scene, url: string): Promise<string> {
  const path = "/management/v1/projects";
  const words: string[] = [];
  for (const name of ["Later", "Last"]) {
    const { status, body } = await call(url, life.admin, "POST", path, { name });
    words.push(status === 200 ? "goes on" : `${status} ${body.details?.[0]?.reason ?? ""}`.trim());
  }
  return [...new Set(words)].join(", then ");
}

/** What `/readyz` says once the service has checked its whole log. */
async function soundOf({ url, isChecked }: Served): Promise<string> {
  const untilMs = Date.now() + auditedMs;
  for (;;) {
    const wasChecked = isChecked();
    const { status } = await call(url, "", "GET", "/readyz");
    if (status !== 200) return `starts, then ${status}`;
    if (wasChecked) return "starts, goes on";
    if (Date.now() > untilMs) return "starts, is not checked";
    await pause(50);
  }
}
