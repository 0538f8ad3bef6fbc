import { v7 } from "uuid";
import { readConfig } from "../../src/config/config.ts";
import { type GrantEvent, grant } from "../../src/domain/grant.ts";
import { idOf, streamOf } from "../../src/domain/noun.ts";
import { project } from "../../src/domain/project.ts";
import { role, rolesIn } from "../../src/domain/role.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { withLog } from "../../src/log/offline.ts";
import { personAdded } from "../people.ts";
import { digits, filledId } from "../template.ts";

/** The key of the role that all are granted. */
export const grantedRole = "reader";

/** Commands that are given at the same time: they share commits, and a database's connections. */
const atOnce = 64;

/** Where a log is: its directory, and the settings that say more of it. */
export interface FillPlace {
  readonly dataDir: string;
  readonly env: { readonly [name: string]: string };
}

/** Who is to come into a project. */
export interface Filling {
  readonly projectId: string;
  /** Those who are there, and so many more, are granted the role. */
  readonly users: readonly string[];
  readonly people: number;
  /** So many are granted nothing yet: they have the ids that `filledId` says, from 1 on. */
  readonly free: number;
}

/** Makes people, each with one grant of the role, beside the service that runs there. */
export async function fillGrants(
  { dataDir, env }: FillPlace,
  { projectId, users, people, free }: Filling,
): Promise<void> {
  const config = readConfig([`--data-dir=${dataDir}`], env);
  await withLog(config, async ({ store, execute }) => {
    const [found] = await store.load([streamOf(project, projectId)]);
    const owner = found?.owner ?? "";
    const stream = await store.find({ ...rolesIn(projectId), value: grantedRole });
    if (stream === undefined) throw new Error(`the project has no role ${grantedRole}`);
    const roleIds = [idOf(role, stream)];
    const add = async (id: string, isNew: boolean, isGranted: boolean) => {
      const payload = { userId: id, projectId, roleIds, userType: "HUMAN" } as const;
      const granted: GrantEvent = { type: "user.grant.added", payload };
      const { kind } = await execute({
        actor: "bench",
        writes: {
          user: { noun: user, id, owner, isNew },
          grant: { noun: grant, id: v7(), owner, isNew: true },
        },
        decide: () => ({
          events: {
            user: isNew ? [personAdded(id)] : [],
            grant: isGranted ? [granted] : [],
          },
        }),
      });
      if (kind !== "done") throw new Error(`the store was not filled: ${kind}`);
    };
    await forEach(users.length, (index) => add(users[index] ?? "", false, true));
    await forEach(people, () => add(v7(), true, true));
    await forEach(free, (index) =>
      add(filledId(String(index + 1).padStart(digits, "0")), true, false),
    );
  });
}

/** Does so for each number below the count, many at the same time. */
async function forEach(count: number, add: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const addAll = async () => {
    while (next < count) {
      next += 1;
      await add(next - 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, addAll));
}
