import { codeFieldOf } from "../../domain/user/credential/code.ts";
import type { CodeEvent } from "../../domain/user/credential/delivery.ts";
import { createCode } from "../../secrets/codes.ts";
import type { Service } from "../service.ts";

/** A new code as people read it, and sealed as the event of the type keeps it. */
export function freshCode(
  { random, keyring }: Service,
  type: CodeEvent["type"],
  userId: string,
): { readonly text: string; readonly code: string } {
  const text = createCode(random);
  return { text, code: keyring.seal(text, codeFieldOf(type, userId)) };
}
