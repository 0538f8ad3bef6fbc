import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Who calls, and for which organization: left out, the owner for the one of the instance. */
interface Calling {
  readonly token?: string;
  readonly organization?: string;
}

/** Calls the management API by a path in it; it rejects with what a refusal says. */
export type Calls = (
  method: string,
  path: string,
  body?: object,
  calling?: Calling,
) => Promise<Answer>;

/** What is answered, as far as anything here asks for it. */
interface Answer {
  readonly id?: string;
  readonly userId?: string;
  readonly token?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Of a list. */
  readonly details?: { readonly totalResult?: string };
}

/** Makes what calls the service once it listens. */
export async function openCalls(
  { listening }: { readonly listening: Promise<string> | string },
  dataDir: string,
): Promise<Calls> {
  const url = await listening;
  const owner = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
  return async (method, path, body, { token = owner, organization } = {}) => {
    const response = await fetch(`${url}/management/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { "content-type": "application/json" }),
        ...(organization && { "x-service-orgid": organization }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const said = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${said}`);
    return JSON.parse(said);
  };
}
