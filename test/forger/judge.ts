import { setTimeout as pause } from "node:timers/promises";
import { sentenceOf } from "../../src/start/sentence.ts";
import type { Forgery } from "./forgery.ts";
import { call } from "./life.ts";
import type { Scene, Stage } from "./stage.ts";

/** What became of a forgery. */
export interface Judged {
  /** What a start on it says, or does; empty where it is forged while the service runs alone. */
  readonly start: string;
  /** What the service does that was forged while it ran. */
  readonly running: string;
  /** The code with which `verify` ends. */
  readonly verify: number | undefined;
  /** Whether what the forger wanted has happened, one way or the other. */
  readonly effect: boolean;
}

/** Milliseconds until a service has checked its whole log. */
const auditedMs = 30_000;

/** Forges while the service stands still, and while it runs, and looks what comes of it. */
export async function judge(stage: Stage, forgery: Forgery): Promise<Judged> {
  const rest =
    forgery.when === "running" ? undefined : await stage((scene) => atRest(scene, forgery));
  const running =
    forgery.when === "rest" ? undefined : await stage((scene) => live(scene, forgery));
  return {
    start: rest?.said ?? "",
    running: running?.said ?? "",
    verify: rest?.verify ?? running?.verify,
    effect: (rest?.effect ?? false) || (running?.effect ?? false),
  };
}

/** Whether a judgement is what docs/chain.md says. */
export function isAsDocumented({ documented, unseen }: Forgery, judged: Judged): boolean {
  return (!judged.effect || documented === true) && judged.verify === (unseen ? 0 : 1);
}

async function atRest(scene: Scene, forgery: Forgery) {
  try {
    await forgery.forge(scene);
    const { code: verify } = await scene.verify();
    const started = await scene.start().catch((error) => shortly(sentenceOf(error)));
    if (typeof started === "string") return { said: `refused: ${started}`, effect: false, verify };
    try {
      const effect = await forgery.effect(scene, started.url);
      return { said: await soundOf(scene, started.url), effect, verify };
    } finally {
      await started.close();
    }
  } finally {
    await forgery.undo?.(scene);
  }
}

/** What a refusal says is wrong, without where, and what to do. */
function shortly(sentence: string): string {
  const [said = ""] = sentence.replace(/^The event log \S+ [\w ]+: /, "").split(/\n|[;.] |: put /);
  return said;
}

async function live(scene: Scene, forgery: Forgery) {
  const service = await scene.start();
  try {
    await soundOf(scene, service.url);
    await forgery.forge(scene);
    const effect = await forgery.effect(scene, service.url);
    const path = "/management/v1/projects";
    const { status, body } = await call(service.url, scene.life.admin, "POST", path, {
      name: "Later",
    });
    const said = status === 200 ? "goes on" : `${status} ${body.details?.[0]?.reason ?? ""}`;
    const { code: verify } = await scene.verify();
    return { said, effect, verify };
  } finally {
    await service.close();
    await forgery.undo?.(scene);
  }
}

/** What `/readyz` says once the service has checked its whole log. */
async function soundOf({ sql }: Scene, url: string): Promise<string> {
  const [row] = await sql("SELECT count(*) AS n FROM events");
  const untilMs = Date.now() + auditedMs;
  for (;;) {
    const { status, body } = await call(url, "", "GET", "/readyz");
    if (status !== 200) return `starts, then ${status}`;
    if (Number(body.checkedEvents) >= Number(row?.n)) return "starts, goes on";
    if (Date.now() > untilMs) return "starts, is not checked";
    await pause(50);
  }
}
