import { FileUnusable } from "../file.ts";
import { KeyringInvalid } from "../secrets/keys.ts";
import { StoreUnavailable } from "../store/store.ts";
import { ConfigError } from "./config.ts";

/** What people are told where something failed: a sentence, or the whole of a defect. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const known = [ConfigError, FileUnusable, KeyringInvalid, StoreUnavailable];
  const isKnown = known.some((kind) => error instanceof kind);
  return isKnown ? error.message : (error.stack ?? error.message);
}
