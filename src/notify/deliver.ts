import { idOf } from "../domain/noun.ts";
import type { Attempt } from "../domain/sending.ts";
import {
  type Fate,
  findDestination,
  hasCode,
  type RecordedAsking,
  readAsking,
  recordDelivery,
} from "../domain/user/credential/delivery.ts";
import { user } from "../domain/user/state/user.ts";
import { doneOr } from "../execute/done.ts";
import type { Execute } from "../execute/execute.ts";
import { readCounted } from "../execute/owner.ts";
import { findOrganizationName } from "../execute/read-object.ts";
import type { LeasedMessage } from "../store/message.ts";
import { readerOf } from "../store/objects.ts";
import type { Store } from "../store/store.ts";
import { type CarryOptions, createCarry } from "./carry.ts";
import type { Channels } from "./channel/channel.ts";
import { noteAttempt } from "./channel/trouble.ts";
import { type Composition, compose } from "./message/compose.ts";
import { findMailBrand } from "./message/mail-brand.ts";
import type { Message } from "./message/message.ts";

/** The actor of the events about deliveries. */
export const notifyActor = "notify";

/** The parts of the service that deliver a message to a person. */
export interface DeliverOptions extends Composition, CarryOptions {
  readonly store: CarryOptions["store"] & Pick<Store, "artifacts" | "attachment">;
  readonly execute: Execute;
  readonly channels: Channels;
  /** Calls off what is on its way. */
  readonly signal: AbortSignal;
}

/** Makes the function that delivers one leased message to a person: see `createCarry`. */
export function createDeliver(options: DeliverOptions): (message: LeasedMessage) => Promise<void> {
  const { store, now, keyring, publicUrl } = options;
  return createCarry(options, async (message) => {
    const asked = readAsking(message.event);
    const found = await readCounted(store, user, idOf(user, message.event.stream));
    // The removal of the user settled the message, or does so soon.
    if (found === undefined) return undefined;
    const { state, own } = found;
    const destination = findDestination(own, asked, now());
    const record = (fate: Fate) => settle(options, message, asked, fate);
    if (destination === undefined) return { problem: "superseded", record };
    const { expirationMs } = destination;
    // By itself the user is in use, or there would be no destination.
    if (state.isInactive && hasCode(asked.type))
      return { expirationMs, send: async () => ofInactive, record };
    const organization = await findOrganizationName(readerOf(store), state.organization);
    const brand = await findMailBrand(store, state.organization);
    const order = { ...message, asked, destination, user: state, organization, brand };
    const create = async () => compose(order, { keyring, publicUrl });
    return { expirationMs, send: (members) => sendThrough(options, members, create), record };
  });
}

/** What comes of a code while its organization is inactive. */
const ofInactive: Attempt = { kind: "missed", problem: "the organization is inactive" };

/** Sends a message through its channel, and notes what that says of the channel. */
export async function sendThrough(
  options: Pick<DeliverOptions, "channels" | "signal" | "log" | "store" | "now">,
  members: object,
  create: () => Promise<Message>,
): Promise<Attempt> {
  const { channels, signal, log, store, now } = options;
  try {
    const message = await create();
    const { channel } = message;
    const attempt = await channels[channel](message, signal);
    // What was called off says nothing of its channel.
    if (signal.aborted) return attempt;
    // What was sent is so, though this fails.
    await noteAttempt(store, channel, attempt, now()).catch((err: unknown) =>
      log.warn({ channel, err }, "the state of a channel could not be recorded"),
    );
    return attempt;
  } catch (err) {
    log.error({ ...members, err }, "a message could not be created");
    return { kind: "missed", problem: "the message could not be created" };
  }
}

/** Records what became of a message. */
async function settle(
  { execute }: DeliverOptions,
  { event: { stream } }: LeasedMessage,
  asked: RecordedAsking,
  fate: Fate,
): Promise<void> {
  const outcome = await execute({
    actor: notifyActor,
    writes: { user: { noun: user, id: idOf(user, stream) } },
    relies: {},
    decide: (states, nowMs) => recordDelivery(states.user, asked, fate, nowMs),
  });
  doneOr(outcome, "the delivery was not recorded");
}
