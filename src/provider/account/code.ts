import { codeFieldOf } from "../../domain/user/credential/code.ts";
import type { CodeEvent } from "../../domain/user/credential/delivery.ts";
import { typedCode } from "../../pages/account.ts";
import { createCode } from "../../secrets/codes.ts";
import type { Own } from "./part.ts";

/** A new code for the person to type, sealed as the event of the type keeps it. */
export function sealedCode({ site, found }: Own, type: CodeEvent["type"]): string {
  return site.keyring.seal(createCode(site.random), codeFieldOf(type, found.userId));
}

/** The code that the person has typed, to be compared with the sealed one. */
export function typedFor({ site, found, visit }: Own, type: CodeEvent["type"]) {
  const [sealedField, code] = [codeFieldOf(type, found.userId), typedCode(visit)];
  return { opens: (sealed: string) => site.keyring.opens(sealed, sealedField, code) };
}
