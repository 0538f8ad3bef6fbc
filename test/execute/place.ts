import { app } from "../../src/domain/app/app.ts";
import { type OrgEvent, org } from "../../src/domain/org.ts";
import { project, setUpProject } from "../../src/domain/project.ts";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { user } from "../../src/domain/user/state/user.ts";
import type { Outcome, Written } from "../../src/execute/command.ts";
import type { Execute } from "../../src/execute/execute.ts";
import type { Append, AppendResult, Store } from "../../src/store/store.ts";

/** The store as it is, with something done before each append, as by another process. */
export function beforeAppend(store: Store, act: (append: Append) => Promise<unknown>): Store {
  return {
    ...store,
    append: async (append) => {
      await act(append);
      return store.append(append);
    },
  };
}

/** The store as it is, keeping what each append came to. */
export function recording(store: Store): { readonly store: Store; readonly kinds: string[] } {
  const kinds: string[] = [];
  const append = async (one: Append): Promise<AppendResult> => {
    const result = await store.append(one);
    kinds.push(result.kind);
    return result;
  };
  return { store: { ...store, append }, kinds };
}

/** Makes an organization of this name, whatever the domain would say. */
export function nameOrg(execute: Execute, id: string, name: string): Promise<Outcome> {
  return execute({
    actor: "somebody",
    writes: { org: { noun: org, id, owner: id } },
    relies: {},
    decide: () => ({ events: { org: [named(name)] } }),
  });
}

/** Makes a machine user with this login name. */
export function addUser(execute: Execute, id: string, userName = id): Promise<Outcome> {
  return execute({
    actor: "somebody",
    writes: { user: { noun: user, id, owner: "org-1" } },
    relies: {},
    decide: () => ({ events: { user: [added(userName)] } }),
  });
}

/** Adds a token to a user that is there, without asking who may. */
export function addToken(execute: Execute, id: string, tokenId: string, hash = tokenId) {
  return execute({
    actor: "somebody",
    writes: { user: { noun: user, id } },
    relies: {},
    decide: () => ({ events: { user: [tokenAdded(tokenId, hash)] } }),
  });
}

/** Makes a project of this name in an organization. */
export function addProject(execute: Execute, id: string, name: string, owner: string) {
  return execute({
    actor: "x",
    writes: { project: { noun: project, id, owner } },
    relies: {},
    decide: () => ({ events: { project: setUpProject(name) } }),
  });
}

/** Makes an application of this name in a project, whether or not that is there. */
export function addApp(
  execute: Execute,
  id: string,
  name: string,
  projectId: string,
  clientId: string,
) {
  return execute({
    actor: "x",
    writes: { app: { noun: app, id, owner: "o" } },
    relies: {},
    decide: () => ({
      events: {
        app: [
          { type: "project.application.added" as const, payload: { projectId, name } },
          {
            type: "project.application.config.api.added" as const,
            payload: { clientId, authMethod: "BASIC" as const },
          },
        ],
      },
    }),
  });
}

export function named(name: string): OrgEvent {
  return { type: "org.added", payload: { name } };
}

export function added(userName: string): UserEvent {
  const rest = { name: userName, description: "", accessTokenType: "BEARER" } as const;
  return { type: "user.machine.added", payload: { userName, ...rest } };
}

export function tokenAdded(tokenId: string, tokenHash = tokenId): UserEvent {
  return { type: "user.token.added", payload: { tokenId, tokenHash } };
}

export function writtenIn(outcome: Outcome): readonly Written[] {
  if (outcome.kind !== "done") throw new Error(`it was not done: ${JSON.stringify(outcome)}`);
  return outcome.written;
}
