import { randomUUID } from "node:crypto";
import type { PageTable } from "../pages/table.ts";
import { accountPages } from "./account/account.ts";
import type { AccountSite } from "./account/part.ts";
import { devicePages } from "./login/device.ts";
import { createGuess } from "./login/guesses.ts";
import { loginPages } from "./login/login.ts";
import { ownerPages } from "./login/owner.ts";
import { resetPages } from "./login/reset.ts";

/** Makes the pages that people see of the provider. */
export function peoplePages(parts: Omit<AccountSite, "guess" | "noHash">): PageTable {
  let noHash: Promise<string> | undefined;
  const site = {
    ...{ ...parts, guess: createGuess(parts) },
    noHash: () => {
      noHash ??= parts.passwords.hashPassword(randomUUID());
      return noHash;
    },
  };
  return {
    ...loginPages(site),
    ...devicePages(site),
    ...ownerPages(site),
    ...resetPages(site),
    ...accountPages(site),
  };
}
