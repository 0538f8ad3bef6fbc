import { app, appsOf } from "../../src/domain/app/app.ts";
import { addAPIApp } from "../../src/domain/app/create.ts";
import { accept, reject } from "../../src/domain/decision.ts";
import { addProject, type ProjectInput, project, updateProject } from "../../src/domain/project.ts";
import { codeFieldOf } from "../../src/domain/user/credential/code.ts";
import type { CodeEvent } from "../../src/domain/user/credential/delivery.ts";
import { hasToken, removeToken } from "../../src/domain/user/credential/token.ts";
import { importHuman } from "../../src/domain/user/human/human.ts";
import { resendPhoneCode, tryPhoneCode } from "../../src/domain/user/human/phone.ts";
import { removeMembership } from "../../src/domain/user/membership.ts";
import { activeOwners, user } from "../../src/domain/user/state/user.ts";
import type { Command, Groups, Refs } from "../../src/execute/command.ts";
import type { Keyring } from "../../src/secrets/keyring.ts";
import type { Random } from "../gateway/native/random.ts";
import { removeProject } from "../harness/project.ts";
import { erasingKinds } from "./erasing.ts";
import type { Task } from "./task.ts";

const organization = "org-1";
const inInstance = { level: "instance" } as const;
const ownership = { scope: inInstance, roles: ["IAM_OWNER"] } as const;
const owners = { noun: user, ...activeOwners };

/** Few of each, so that they are asked for again. */
const pool = {
  names: ["Ada", "ada", "Bob", "Eve", "Joe"],
  phones: ["+41446681800", "+41446681801"],
  mails: ["ada@example.com", "bob@example.com"],
} as const;

/** The user that is there from the beginning and owns the instance. */
export const rootId = "root";

/**
 * Makes tasks one after another, on so many things of each kind that those before may have made
 * last. Which kinds of tasks there are is another choice each time: the fewer, the more often they
 * meet.
 */
export function createTasks(random: Random, keyring: Keyring, latest: number): () => Task {
  const made = { user: [rootId], project: ["p0"], token: ["t0"], session: ["s0"] };
  let serial = 0;
  const fresh = (kind: keyof typeof made) => {
    serial += 1;
    const id = `${kind}${serial}`;
    made[kind].push(id);
    return id;
  };
  const known = (kind: keyof typeof made) => random.pick(made[kind].slice(-latest));
  const someUser = () => (random.once(3) ? rootId : known("user"));
  const someName = () => random.pick(pool.names);
  const sealed = (type: CodeEvent["type"], id: string) =>
    keyring.seal("MA2LED", codeFieldOf(type, id));

  /** Who acts has to be let in still when it is written. */
  function byCaller() {
    const id = someUser();
    const holder = { noun: user, id };
    return {
      relies: { caller: holder },
      admission: {
        streams: { holder },
        refusal: (states: { readonly [name: string]: unknown }, nowMs: number) =>
          states.holder !== undefined && hasToken(states.holder as never, `hash of ${id}`, nowMs)
            ? undefined
            : reject("PERMISSION_DENIED").rejection,
      },
    };
  }

  const kinds: readonly (() => Task)[] = [
    () => {
      const [id, userName, hasToken] = [fresh("user"), someName(), random.once(2)];
      return task(`add user ${id} as ${userName}`, {
        writes: { user: { noun: user, id, owner: organization, isNew: true } },
        decide: () => accept({ user: machineEvents(id, userName, hasToken) }),
      });
    },
    () => {
      const id = fresh("user");
      const [phone, email] = [random.pick(pool.phones), random.pick(pool.mails)];
      const human = personOf(id, { phone, email }, sealed);
      return task(`import ${id} at ${phone}`, {
        writes: { user: { noun: user, id, owner: organization, isNew: true } },
        decide: (_states, nowMs) => importHuman({}, human, nowMs),
      });
    },
    () => {
      const id = known("user");
      const tokenId = fresh("token");
      return task(`add token ${tokenId} to ${id}`, {
        writes: { user: { noun: user, id } },
        decide: (states) =>
          states.user === undefined
            ? reject("USER_NOT_FOUND")
            : accept({ user: [tokenAdded(tokenId, tokenId)] }),
      });
    },
    () => {
      const [id, tokenId] = [someUser(), known("token")];
      return task(`remove token ${tokenId} from ${id}`, {
        ...byCaller(),
        writes: { user: { noun: user, id } },
        groups: { owners },
        decide: (states) => removeToken(states as never, { organization, tokenId }),
      });
    },
    () => {
      const id = known("user");
      return task(`make ${id} an owner`, {
        ...byCaller(),
        writes: { user: { noun: user, id } },
        decide: (states) => {
          if (states.user === undefined) return reject("USER_NOT_FOUND");
          const { memberships } = states.user as { readonly memberships: readonly unknown[] };
          if (memberships.length > 0) return reject("MEMBER_EXISTS");
          return accept({ user: [{ type: "user.membership.granted", payload: ownership }] });
        },
      });
    },
    () => {
      const id = someUser();
      return task(`take ownership from ${id}`, {
        ...byCaller(),
        writes: { user: { noun: user, id } },
        groups: { owners },
        decide: (states) => removeMembership(states as never, { scope: inInstance }),
      });
    },
    () => {
      const [id, name] = [fresh("project"), someName()];
      return task(`add project ${id} as ${name}`, {
        writes: { project: { noun: project, id, owner: organization, isNew: true } },
        decide: () => addProject(projectOf(name)),
      });
    },
    () => {
      const [id, name] = [known("project"), someName()];
      return task(`rename project ${id} to ${name}`, {
        writes: { project: { noun: project, id } },
        decide: (states) =>
          updateProject(states.project as never, { organization }, projectOf(name)),
      });
    },
    () => {
      const id = known("project");
      return task(`remove project ${id}`, {
        writes: { project: { noun: project, id } },
        groups: { apps: { noun: app, ...appsOf(id) } },
        decide: (states) => removeProject(states as never, { organization }),
      });
    },
    () => {
      const [projectId, name] = [known("project"), someName()];
      serial += 1;
      const id = `app${serial}`;
      const added = { organization, projectId, name, clientId: id, clientSecretHash: "h" };
      return task(`add app ${id} as ${name} to ${projectId}`, {
        writes: { app: { noun: app, id, owner: organization, isNew: true } },
        relies: { project: { noun: project, id: projectId } },
        decide: (states) => addAPIApp(states as never, added, "BASIC"),
      });
    },
    () => {
      const id = known("user");
      const code = sealed("user.human.phone.code.added", id);
      const input = { code, isSelf: true, permission: "user.write", verification: "SEND_CODE" };
      return task(`send another code to ${id}`, {
        writes: { user: { noun: user, id } },
        decide: (states, nowMs) =>
          resendPhoneCode({ ...states, caller: undefined } as never, input as never, nowMs),
      });
    },
    () => {
      const [id, isRight] = [known("user"), random.once(3)];
      return task(`try a ${isRight ? "right" : "wrong"} code for ${id}`, {
        writes: { user: { noun: user, id } },
        decide: (states, nowMs) =>
          tryPhoneCode(states.user as never, { opens: () => isRight }, nowMs),
      });
    },
  ];
  const erasing = erasingKinds({
    ...{ random, organization },
    someUser: () => known("user"),
    fresh: () => fresh("session"),
    task: (what, command) => task(what, command as never),
  });
  const all = [...kinds, ...erasing];
  const chosen = all.filter(() => random.once(2));
  return () => random.pick(chosen.length > 0 ? chosen : all)();
}

/** What has to be there before anybody can do anything. */
export const beginning: Task = task("begin", {
  writes: {
    user: { noun: user, id: rootId, owner: organization },
    project: { noun: project, id: "p0", owner: organization },
  },
  decide: () => ({
    events: {
      user: [
        ...machineEvents(rootId, rootId, true),
        { type: "user.membership.granted" as const, payload: ownership },
      ],
      project: [{ type: "project.added" as const, payload: projectOf("p0") }],
    },
  }),
});

function task<W extends Refs, R extends Refs, M extends Groups>(
  what: string,
  command: Omit<Command<W, R, M, Record<never, never>, string>, "actor" | "answer">,
): Task {
  const answer = ({ position }: { readonly position: bigint }) => String(position);
  return { what, command: { ...command, answer } as Task["command"] };
}

function machineEvents(id: string, userName: string, hasToken: boolean) {
  const names = { userName, name: userName, description: "", accessTokenType: "BEARER" } as const;
  const added = { type: "user.machine.added", payload: names } as const;
  return hasToken ? [added, tokenAdded(`t of ${id}`, `hash of ${id}`)] : [added];
}

function tokenAdded(tokenId: string, tokenHash: string) {
  return { type: "user.token.added", payload: { tokenId, tokenHash } } as const;
}

function projectOf(name: string): ProjectInput {
  const settings = { projectRoleAssertion: false, projectRoleCheck: false, hasProjectCheck: false };
  return { name, ...settings, privateLabelingSetting: "UNSPECIFIED" };
}

function personOf(
  id: string,
  { phone, email }: { readonly phone: string; readonly email: string },
  sealed: (type: CodeEvent["type"], id: string) => string,
) {
  const names = { firstName: "Ada", lastName: "Lovelace", nickName: "", displayName: "Ada" };
  const rest = { preferredLanguage: "de", passwordChangeRequired: false };
  return {
    organization,
    added: { userName: id, email, phone, gender: "UNSPECIFIED", ...names, ...rest } as const,
    ...{ externalIDPs: [], isEmailVerified: false, isPhoneVerified: false },
    initializationCode: sealed("user.human.initialization.code.added", id),
    phoneCode: sealed("user.human.phone.code.added", id),
  } as const;
}
