import {
  showDone,
  showEmail,
  showInitialization,
  showPasskey,
  showPhone,
  takeAccount,
  takeEmail,
  takePhone,
} from "./account.ts";
import type { PageTable } from "./table.ts";

/** The pages behind the links. */
export const linkPages: PageTable = {
  "/ui/initialize": { get: showInitialization, post: takeAccount },
  "/ui/passwordless/init": { get: showPasskey },
  "/ui/email/verify": { get: showEmail, post: takeEmail },
  "/ui/phone/verify": { get: showPhone, post: takePhone },
  "/ui/done": { get: showDone },
};
