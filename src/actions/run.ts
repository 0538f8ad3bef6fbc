import type { EffectKind } from "./effects.ts";

/** One run of an action. */
export interface Run {
  /** The name of the action, and so of the function that is called. */
  readonly name: string;
  readonly script: string;
  /** What the script is told: see `guest.js` for what becomes of its members. */
  readonly context: { readonly [name: string]: unknown };
  /** The effects that exist at this trigger. */
  readonly api: readonly EffectKind[];
  /** Milliseconds for the script and the call of the function together. */
  readonly timeoutMs: number;
  /** The id of the organization that the action belongs to: each has a share of the threads. */
  readonly organization: string;
  /** Ends it when nobody waits for it any more. */
  readonly signal?: AbortSignal;
  /** Whether time stands still in it, and chance is the same each time. */
  readonly isDry?: boolean;
}

/** What a script asked for. */
export interface Effect {
  readonly kind: EffectKind;
  /** Empty where effects of the kind have none. */
  readonly name: string;
  /** JSON. */
  readonly value: unknown;
}

/** Why a run failed. */
export interface RunProblem {
  /** The class of an error of the script as JavaScript names it, or one of `Ending`. */
  readonly errorClass: string;
  /** In the words of the script where that threw: not to be trusted, and not to be kept. */
  readonly message: string;
  /** Of the script, from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** How runs fail other than by an error of the script. */
export type Ending =
  /** It did not end in time. */
  | "Timeout"
  | "OutOfMemory"
  /** The script has no function that is named like the action. */
  | "NoFunction"
  /** The function answered a promise that nothing settles. */
  | "Unsettled"
  /** It asked for more than is taken, or for something that is none of the effects. */
  | "InvalidEffects"
  | "ContextTooLarge"
  /** Too many others run. It was not begun. */
  | "Busy"
  /** The thread ended under it. */
  | "Failed";

/** What came of a run. */
export interface Outcome {
  /** In the order in which they were asked for. There are none where the run failed. */
  readonly effects: readonly Effect[];
  /** The lines that the script logged. */
  readonly log: readonly string[];
  readonly durationMs: number;
  /** The most memory that its machine took; 0 where that is not known. */
  readonly memoryBytes: number;
  /** Left out where it did not fail. */
  readonly problem?: RunProblem;
}

/** A run that ended otherwise than by an error of the script. */
export function endedBy(errorClass: Ending, message: string): RunProblem {
  return { errorClass, message };
}
