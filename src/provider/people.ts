import { randomUUID } from "node:crypto";
import type { PageTable } from "../pages/routes.ts";
import { accountPages } from "./account/account.ts";
import type { AccountSite } from "./account/part.ts";
import { atFirst } from "./later.ts";
import { devicePages } from "./login/device.ts";
import { createGuess } from "./login/guesses.ts";
import { loginPages } from "./login/login.ts";
import { ownerPages } from "./login/owner.ts";
import { resetPages } from "./login/reset.ts";

/** Makes the pages that people see of the provider. */
export function peoplePages(parts: Omit<AccountSite, "guess" | "noHash">): PageTable {
  const noHash = atFirst(() => parts.passwords.hashPassword(randomUUID()));
  const site = { ...parts, guess: createGuess(parts), noHash };
  return {
    ...loginPages(site),
    ...devicePages(site),
    ...ownerPages(site),
    ...resetPages(site),
    ...accountPages(site),
  };
}
