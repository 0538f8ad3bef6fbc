import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plant } from "../harness/plant.ts";
import { copied, type Plant } from "./plants.ts";

/** What came of simulations with a mistake in the service: the first that found something. */
export interface Found {
  readonly seed: number | undefined;
  /** What was wrong, or all that was said where no simulation said so. */
  readonly text: string;
}

/** Simulates a copy with the mistake until one finds it; with none, until all are over. */
export async function simulatePlanted(mistake: Plant): Promise<Found> {
  const project = await mkdtemp(join(tmpdir(), "iam-simulation-"));
  try {
    await plant(project, mistake, copied);
    const args = ["test/simulation.ts", "--seeds", String(mistake.seeds)];
    const child = spawn(process.execPath, args, {
      cwd: project,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
    }
    await once(child, "close");
    const [, seed, text] = /^seed (\d+): (.*)$/m.exec(said) ?? [];
    return { seed: seed === undefined ? undefined : Number(seed), text: text ?? said.trim() };
  } finally {
    await rm(project, { recursive: true, force: true });
  }
}
