import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { type UserState, user } from "../../src/domain/user/state/user.ts";
import type { Browser, Page } from "./browser.ts";
import { type App, begin, type Parties, type Person } from "./relying.ts";

/** Asks for a mail to replace the password, as one who has the name; answers what is said. */
export async function askAs(browser: Browser, app: App, userName: string): Promise<Page> {
  await browser.open((await begin(app)).url.href);
  await browser.send({}, "forgotten");
  return await browser.send({ userName }, "ask");
}

/** What the link of the mail has, which is what the person has been sent; undefined for none. */
export async function mailedTo(
  { server }: Parties,
  { userId }: Pick<Person, "userId">,
): Promise<{ readonly link: string; readonly code: string } | undefined> {
  const stream = `user-${userId}`;
  const [stored] = await server.store.load([stream]);
  const { human } = JSON.parse(stored?.state ?? "{}") as UserState;
  const sealed = human?.passwordCode?.code;
  if (sealed === undefined) return undefined;
  const code = server.keyring.open(sealed, { stream, field: "password.code" });
  return { code, link: `/ui/password?${new URLSearchParams({ userID: userId, code })}` };
}

/** The link of the mail that somebody has asked for. */
export async function linkFor(parties: Parties, app: App, person: Person): Promise<string> {
  await askAs(parties.browser(), app, person.userName);
  const mailed = await mailedTo(parties, person);
  if (mailed === undefined) throw new Error("nothing was sent");
  return mailed.link;
}

/** Records an event of a person, whatever decisions would say. */
export async function happen(
  { server }: Parties,
  { userId }: Pick<Person, "userId">,
  event: UserEvent,
): Promise<void> {
  const outcome = await server.execute({
    actor: "test",
    writes: { user: { noun: user, id: userId } },
    decide: () => ({ events: { user: [event] } }),
  });
  if (outcome.kind !== "done") throw new Error(`it did not happen: ${outcome.kind}`);
}
