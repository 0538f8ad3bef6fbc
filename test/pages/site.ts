import { v7 } from "uuid";
import { streamOf } from "../../src/domain/noun.ts";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { type UserState, user } from "../../src/domain/user/state/user.ts";
import { startServer, type TestServer, type TestServerOptions } from "../harness/server.ts";

/** A server whose pages are read as a browser without scripts would, on a clock set by hand. */
export interface Site {
  readonly server: TestServer;
  readonly clock: { nowMs: number };
  /** Opens an address of this server, its path and query. */
  open(path: string, headers?: Fields): Promise<PageSeen>;
  /** Fills in the form of a page and sends it, as pressing its button would. */
  send(page: PageSeen, filled: Fields): Promise<PageSeen>;
  /** Imports a person; what is answered, and the links and codes that the person gets. */
  givenPerson(given?: object): Promise<Person>;
  /** Events of a person after the given number of them. */
  typesOf(userId: string, after?: number): Promise<readonly string[]>;
  close(): Promise<void>;
}

export type Fields = { readonly [name: string]: string };

export interface PageSeen {
  /** Where it stands, after redirects. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly heading: string;
}

export interface Person {
  readonly userId: string;
  readonly userName: string;
  /** Of the initialization mail; empty where there was none. */
  readonly code: string;
  readonly phoneCode: string;
  /** Path and query of the link. */
  readonly link: string;
  readonly passkeyLink: string;
}

export async function startSite(options: Omit<TestServerOptions, "now"> = {}): Promise<Site> {
  const clock = { nowMs: 1_800_000_000_000 };
  const server = await startServer({ ...options, now: () => clock.nowMs });
  const open = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(server.url + path, init);
    const text = await response.text();
    const [, heading = ""] = /<h1>([^<]*)<\/h1>/.exec(text) ?? [];
    const { status, headers } = response;
    const at = response.url.slice(server.url.length);
    return { path: at, status, headers, text, heading };
  };
  return {
    server,
    clock,
    open: (path, headers = {}) => open(path, { headers }),
    send: (page, filled) => {
      const { action, hidden } = formOf(page);
      const body = new URLSearchParams({ ...hidden, ...filled });
      const { pathname, search } = new URL(action, server.url + page.path);
      const headers = { origin: "https://iam.example.com" };
      return open(pathname + search, { method: "POST", body, headers });
    },
    givenPerson: (given = {}) => givenPerson(server, given),
    typesOf: async (userId, after = 0) =>
      (await server.store.readStream(streamOf(user, userId), after + 1, 100)).map(
        ({ type }) => type,
      ),
    close: () => server.close(),
  };
}

/** Where the form of a page goes, and what it carries along. */
export function formOf({ text }: PageSeen): { readonly action: string; readonly hidden: Fields } {
  const [, action, form = ""] =
    /<form [^>]*action="([^"]*)" method="post">(.*?)<\/form>/s.exec(text) ?? [];
  if (action === undefined) throw new Error(`the page has no form: ${text}`);
  const fields = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return {
    action,
    hidden: Object.fromEntries([...fields].map(([, name, value]) => [name, value])),
  };
}

async function givenPerson(server: TestServer, given: object): Promise<Person> {
  const userName = v7();
  const response = await fetch(`${server.url}/management/v1/users/human/_import`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.admin.token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({
      userName,
      email: { email: "ada@example.com" },
      profile: { firstName: "Ada", lastName: "Lovelace" },
      ...given,
    }),
  });
  if (!response.ok) throw new Error(`nobody was imported: ${await response.text()}`);
  const { userId, passwordlessRegistration } = (await response.json()) as {
    readonly userId: string;
    readonly passwordlessRegistration?: { readonly link: string };
  };
  const stream = streamOf(user, userId);
  const [stored] = await server.store.load([stream]);
  const { human } = JSON.parse(stored?.state ?? "{}") as UserState;
  const opened = (sealed: string | undefined, field: string) =>
    sealed === undefined ? "" : server.keyring.open(sealed, { stream, field });
  const code = opened(human?.initialization?.code, "initialization.code");
  const place = { stream, field: "initialization.code" };
  const sealed = human?.initialization?.code;
  const ofLink = sealed === undefined ? "" : server.keyring.derive(sealed, place);
  const orgID = server.admin.organization;
  const passkey = new URL(passwordlessRegistration?.link ?? "https://iam.example.com/");
  return {
    ...{ userId, userName, code },
    phoneCode: opened(human?.phone?.code?.code, "phone.code"),
    link: `/ui/initialize?${new URLSearchParams({ userID: userId, orgID, code: ofLink })}`,
    passkeyLink: passkey.pathname + passkey.search,
  };
}

/** Records an event of a person, whatever decisions would say. */
export async function happen({ server }: Site, userId: string, event: UserEvent): Promise<void> {
  const outcome = await server.execute({
    actor: "test",
    writes: { user: { noun: user, id: userId } },
    relies: {},
    decide: () => ({ events: { user: [event] } }),
  });
  if (outcome.kind !== "done") throw new Error(`it did not happen: ${outcome.kind}`);
}
