import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { headFile } from "../../src/log/head-places.ts";
import { logIn } from "../../src/log/in-file.ts";
import { type Forgery, never } from "./forgery.ts";
import type { Scene } from "./stage.ts";

/** Leaves a checkpoint of now as an auditor keeps it, changed as the function says. */
const checkpointed =
  (change = (line: string) => line) =>
  async ({ dataDir, checkpoint }: Scene): Promise<readonly string[]> => {
    const [line, key] = [join(dataDir, "a-checkpoint"), join(dataDir, "a-key.pem")];
    await writeFile(line, change((await checkpoint()).stdout));
    await writeFile(key, (await checkpoint(["--public-key"])).stdout);
    return ["--checkpoint", line, "--public-key", key];
  };

/** What an auditor's checkpoint says of a log. */
export const checkpointRows: readonly Forgery[] = [
  {
    name: "nothing, beside a checkpoint",
    when: "rest",
    verifiedWith: checkpointed(),
    forge: async () => {},
    effect: never,
    unseen: true,
  },
  {
    name: "a checkpoint, with another position",
    when: "rest",
    verifiedWith: checkpointed((line) => line.replace(/"position":"\d+"/, '"position":"3"')),
    forge: async () => {},
    effect: never,
  },
  {
    name: "the log of the day before with its head, beside a checkpoint of now",
    of: "file",
    when: "rest",
    verifiedWith: checkpointed(),
    forge: async ({ dataDir, yesterday }) => {
      await cp(logIn(yesterday), logIn(dataDir));
      await cp(join(yesterday, headFile), join(dataDir, headFile));
    },
    effect: never,
  },
  {
    name: "the log of the day before, beside a checkpoint of now",
    of: "database",
    when: "rest",
    verifiedWith: checkpointed(),
    forge: ({ sql }) =>
      sql("DELETE FROM events", "INSERT INTO events SELECT * FROM yesterday.events"),
    effect: never,
  },
];
