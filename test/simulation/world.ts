import type { Random } from "../gateway/native/random.ts";
import type { Time } from "./time.ts";
import type { Weather } from "./weather.ts";

/** What everything simulated shares. */
export interface World {
  readonly random: Random;
  readonly time: Time;
  readonly weather: Weather;
  /** Whether all is well by now: nothing is lost any more and nobody dies. */
  isHealed: boolean;
  /** Adds a line to the trace; it is only asked for where there is one. */
  say(line: () => string): void;
  /** What is wrong. */
  readonly problems: string[];
}

/** Whether this happens once in so many times, while there is bad weather; 0 for never. */
export function befalls({ random, isHealed }: World, onceIn: number): boolean {
  return onceIn > 0 && !isHealed && random.once(onceIn);
}

/** Milliseconds that something is on its way. */
export function delayOf({ random, weather }: World): number {
  const isSlow = weather.slowOnceIn > 0 && random.once(weather.slowOnceIn);
  return 1 + random.below(weather.delayMaxMs) + (isSlow ? random.below(200) : 0);
}

/** Resolves after so many milliseconds. */
export function sleep({ time }: Pick<World, "time">, ms: number): Promise<void> {
  return new Promise((resolve) => void time.after(ms, resolve));
}
