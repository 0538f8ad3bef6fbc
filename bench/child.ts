import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";

/** What a process of the bench answers: each question has a name, an argument and an answer. */
export type Answers = { readonly [question: string]: (argument: never) => unknown };

/** Another process of the bench, as the one that started it sees it. */
export interface Child<A extends Answers> {
  /** Asks and waits; rejects with what went wrong in the child, or when it has died. */
  ask<Q extends keyof A & string>(
    question: Q,
    ...argument: Parameters<A[Q]>
  ): Promise<Awaited<ReturnType<A[Q]>>>;
  /** Lets it finish and waits until it is gone. */
  stop(): Promise<void>;
  /** Ends it at once, whatever it does, and waits until it is gone. */
  kill(): Promise<void>;
  /** Sends it a signal, of which it is not gone. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void;
  /** Resolves when it is gone, however that came about. */
  readonly gone: Promise<unknown>;
}

interface Question {
  readonly id: number;
  readonly question: string;
  readonly argument: unknown;
}

type Reply = { readonly id: number } & ({ readonly value: unknown } | { readonly failure: string });

interface ChildOptions {
  readonly args?: readonly string[];
  readonly nodeArgs?: readonly string[];
  /** Added to the environment. */
  readonly env?: { readonly [name: string]: string };
  /** What becomes of standard error: a file descriptor, or the terminal. */
  readonly stderr?: number | "inherit";
}

/** Starts a file, whose path begins in this folder, in a process of its own. */
export function startChild<A extends Answers>(file: string, options: ChildOptions = {}): Child<A> {
  const child = fork(resolve(import.meta.dirname, file), [...(options.args ?? [])], {
    env: { ...process.env, ...options.env },
    execArgv: [...(options.nodeArgs ?? [])],
    serialization: "advanced",
    stdio: ["ignore", "inherit", options.stderr ?? "inherit", "ipc"],
  });
  const waiting = new Map<number, PromiseWithResolvers<never>>();
  let asked = 0;
  child.on("message", (reply: Reply) => {
    const asker = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ("failure" in reply) asker?.reject(new Error(`${file}: ${reply.failure}`));
    else asker?.resolve(reply.value as never);
  });
  const ended = () => {
    const how = `${file} ended with ${child.exitCode ?? child.signalCode} before it answered`;
    return new Error(`${how}: start bench/${file} by hand to see why`);
  };
  child.on("exit", () => {
    for (const asker of waiting.values()) asker.reject(ended());
  });
  const gone = once(child, "exit");
  return {
    gone,
    ask: (question, ...[argument]) => {
      asked += 1;
      const asker = Promise.withResolvers<never>();
      waiting.set(asked, asker);
      const sent: Question = { id: asked, question, argument };
      child.send(sent, (error) => error && asker.reject(ended()));
      return asker.promise;
    },
    stop: async () => {
      if (isRunning(child)) child.disconnect();
      await gone;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await gone;
    },
    signal: (signal) => void child.kill(signal),
  };
}

/** Starts a file of this folder in a process of its own. */
export type StartChild = typeof startChild;

/** Runs the body, and ends the processes that it started when it is done or has failed. */
export async function withChildren<T>(body: (start: StartChild) => Promise<T>): Promise<T> {
  const children: { stop(): Promise<void> }[] = [];
  try {
    return await body((file, options) => {
      const child = startChild<never>(file, options);
      children.push(child);
      return child;
    });
  } finally {
    await Promise.all(children.map((child) => child.stop()));
  }
}

function isRunning({ exitCode, signalCode, connected }: ChildProcess): boolean {
  return connected && exitCode === null && signalCode === null;
}

/** The child's side: answers until the process that started it lets go, then finishes. */
export function answerParent(answers: Answers, finish: () => Promise<void> | void): void {
  process.on("message", ({ id, question, argument }: Question) => {
    const reply = (rest: { value: unknown } | { failure: string }) =>
      process.connected && process.send?.({ id, ...rest } satisfies Reply);
    Promise.resolve()
      .then(() => answers[question]?.(argument as never))
      .then(
        (value) => reply({ value }),
        (error: unknown) =>
          reply({ failure: error instanceof Error ? String(error.stack) : String(error) }),
      );
  });
  const end = async () => {
    await finish();
    process.exit(0);
  };
  // It may have let go already, while this process was still starting.
  if (process.connected) process.on("disconnect", end);
  else void end();
}
