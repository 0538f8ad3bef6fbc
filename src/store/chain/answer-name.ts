import type { LogIdentity } from "./chain.ts";
import { createHmac256 } from "./hash.ts";
import { subkeyOf } from "./subkeys.ts";

/**
 * Makes the function that names the answer of a key in a database (base64url). A reader of the
 * database cannot try keys, since the name needs the key of the log.
 */
export function createAnswerName({ key }: Pick<LogIdentity, "key">): (key: string) => string {
  const seal = createHmac256(subkeyOf(key, "iam answer"));
  return (text) => seal(text).toString("base64url");
}
