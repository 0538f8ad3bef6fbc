import type { Target } from "./requests.ts";

/** Calls the management API by a path in it; rejects with what a refusal says. */
export type Call = (verb: string, path: string, body?: object) => Promise<Answer>;

/** What is answered; of what is in it, callers say what it is. */
export interface Answer {
  readonly [name: string]: string | undefined;
}

/** Makes what calls a service as its owner. */
export function caller({ port, token }: Pick<Target, "port" | "token">): Call {
  return async (verb, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}/management/v1${path}`, {
      method: verb,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const said = await response.text();
    if (!response.ok) throw new Error(`${verb} ${path}: ${said}`);
    return JSON.parse(said) as Answer;
  };
}
