import { foldText } from "../../text/fold.ts";

let known: Promise<ReadonlySet<string>> | undefined;

/** Answers what says whether a password is among those that are tried first, in whatever case. */
export async function readPopular(): Promise<(password: string) => boolean> {
  // No start waits for the list to be unpacked.
  known ??= import("@zxcvbn-ts/language-common").then(
    ({ dictionary }) => new Set(dictionary["passwords-common"]),
  );
  const passwords = await known;
  return (password) => passwords.has(foldText(password));
}
