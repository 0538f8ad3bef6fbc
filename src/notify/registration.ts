import { createHash } from "node:crypto";
import { idOf } from "../domain/noun.ts";
import {
  type KeptRegistration,
  type PendingRegistration,
  registrationAlias,
  registrationField,
} from "../domain/registration/pending.ts";
import { recordMail, registration } from "../domain/registration/registration.ts";
import type { Attempt } from "../domain/sending.ts";
import type { Fate } from "../domain/user/credential/delivery.ts";
import { doneOr } from "../execute/done.ts";
import { findOrganizationName, readObject } from "../execute/read-object.ts";
import { findRegistered } from "../execute/registered.ts";
import type { LeasedMessage } from "../store/message.ts";
import { readerOf } from "../store/objects.ts";
import type { Store } from "../store/store.ts";
import { languageOfTag } from "../text/language.ts";
import { createCarry } from "./carry.ts";
import { type DeliverOptions, notifyActor, sendThrough } from "./deliver.ts";
import { shownName } from "./message/compose.ts";
import { findMailBrand } from "./message/mail-brand.ts";
import type { Message } from "./message/message.ts";
import { registeredTexts, registrationTexts, type Said } from "./message/texts.ts";

/** The types of the events by which somebody who registers is mailed. */
export const registrationTypes: readonly string[] = ["registration.requested"];

/** The parts of the service that mail people who register. */
export interface InviteOptions extends DeliverOptions {
  readonly store: DeliverOptions["store"] & Pick<Store, "list">;
}

/**
 * Makes the function that mails one who registers: the code, or to somebody who has the address
 * already, that somebody tried to. Only here it is looked who has it, so no page can tell. See
 * `createCarry`.
 */
export function createInviting(options: InviteOptions): (message: LeasedMessage) => Promise<void> {
  const { store, execute } = options;
  return createCarry(options, async ({ event, field }) => {
    const { stream, position, timeMs } = event;
    const found = await readObject(store, registration, idOf(registration, stream));
    if (found === undefined) return undefined;
    const record = async (fate: Fate) => {
      const problem = fate.kind === "failed" ? fate.problem : undefined;
      const outcome = await execute({
        actor: notifyActor,
        isForRemoved: true,
        writes: { registration: { noun: registration, id: found.id } },
        decide: (states) => recordMail(states.registration, position, problem),
      });
      doneOr(outcome, "the mail was not recorded");
    };
    const pending = await findPending(options, found.id);
    if (pending === undefined || pending.isProven) return { problem: "superseded", record };
    const id = `${position}-${field}`;
    const send = (members: object): Promise<Attempt> =>
      sendThrough(options, members, async () => {
        const digest = createHash("sha256").update(`${stream} ${timeMs}`).digest("hex");
        const said = await say(options, pending);
        const about = { id, digest: digest.slice(0, 32), to: pending.email, timeMs };
        return { ...about, channel: "email", ...said } satisfies Message;
      });
    return { expirationMs: pending.expirationMs, send, record };
  });
}

/** What waits for the mail; undefined where another mail or nothing took its place. */
async function findPending(
  { store, keyring, now }: InviteOptions,
  id: string,
): Promise<PendingRegistration | undefined> {
  const kept = await store.artifacts.findAlias(registrationAlias(id), now());
  if (kept === undefined) return undefined;
  const { sealed } = JSON.parse(kept.payload) as KeptRegistration;
  return JSON.parse(keyring.open(sealed, registrationField(id))) as PendingRegistration;
}

/** What the mail says, and in which language. No word of it is by who asks. */
async function say(
  { store, publicUrl }: InviteOptions,
  pending: PendingRegistration,
): Promise<Said & Pick<Message, "language">> {
  const { language, code, expirationMs } = pending;
  const organization = shownName(await findOrganizationName(readerOf(store), pending.organization));
  const registered = await findRegistered(store, pending);
  const brand = await findMailBrand(store, pending.organization);
  if (registered.kind !== "held") {
    const said = registrationTexts({ language, brand }, { organization, code, expirationMs });
    return { language, ...said };
  }
  const theirs = languageOfTag(registered.user.human?.preferredLanguage ?? "");
  const link = `${publicUrl()}/account`;
  return {
    language: theirs,
    ...registeredTexts({ language: theirs, brand }, { organization, link }),
  };
}
