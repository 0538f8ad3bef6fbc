import { createRandom } from "../gateway/native/random.ts";
import { callRequest, rawHttp1, rawHttp2 } from "./call.ts";
import { loginRequest } from "./login.ts";
import { pageRequest } from "./page.ts";
import type { FuzzPlace } from "./place.ts";
import type { FuzzRequest } from "./request.ts";

/** Which request: the number of a seed, and what the methods are called that it may be about. */
export interface Chosen {
  readonly seed: number;
  readonly serial: number;
  readonly about: string;
}

/** The request that is chosen: always the same one, but for the ids and tokens in it. */
export function requestAt(place: FuzzPlace, { seed, serial, about }: Chosen): FuzzRequest {
  const random = createRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(serial, 0x85ebca6b));
  const values = { place, random, serial, oddOnce: random.pick([2, 8, 40, 200]) };
  switch (random.below(25)) {
    case 0:
      return rawHttp1(callRequest(values, about), random);
    case 1:
      return rawHttp2(callRequest(values, about), random);
    case 2:
      return pageRequest(values);
    case 3:
    case 4:
      return loginRequest(values);
    default:
      return callRequest(values, about);
  }
}
