import type { Send } from "../../src/notify/channel/channel.ts";
import { befalls, type World } from "./world.ts";

/** One try to deliver a message, and when. */
export interface Delivery {
  /** `<position>-<field>` of the event that asked for it. */
  readonly id: string;
  readonly fromMs: number;
  untilMs: number;
  /** Whether somebody got it. */
  isDelivered: boolean;
}

/** The longest that a message is on its way, in milliseconds: less than its lease. */
const sendMaxMs = 600;

/** Makes what delivers the messages of a node, and notes all that it does. */
export function createChannel(
  world: World,
  deliveries: Delivery[],
  owner: { readonly name: string; readonly isAlive: boolean },
): Send {
  const { random, time } = world;
  return ({ id }) =>
    new Promise((resolve) => {
      const delivery = { id, fromMs: time.nowMs(), untilMs: time.nowMs(), isDelivered: false };
      deliveries.push(delivery);
      const isMissed = befalls(world, world.weather.missedOnceIn);
      time.after(random.below(sendMaxMs), () => {
        // What had left when its node died arrives, or not.
        if (!owner.isAlive && random.once(2)) return;
        delivery.isDelivered = !isMissed;
        delivery.untilMs = time.nowMs();
        world.say(() => `${owner.name}: message ${id} ${isMissed ? "missed" : "delivered"}`);
        if (!owner.isAlive) return;
        resolve(isMissed ? { kind: "missed", problem: "simulated" } : { kind: "sent" });
      });
    });
}
