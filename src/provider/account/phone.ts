import type { Rejection } from "../../domain/decision.ts";
import { verifyOwnPhone } from "../../domain/user/credential/account.ts";
import { accountCharacters } from "../../domain/user/human/human.ts";
import { removeOwnPhone, resendOwnPhoneCode, setOwnPhone } from "../../domain/user/own/phone.ts";
import type { Answer } from "../../pages/account.ts";
import { ownPhonePage, type WrongOwnPhone } from "../../pages/html/account/phone.ts";
import { inPlain } from "../../text/typed.ts";
import { sealedCode, typedFor } from "./code.ts";
import { backTo, decideOwn, doneIn, type Own, type Part, refusedIn } from "./part.ts";

/** The part on which people choose another phone number, prove it, and remove it. */
export const phone: Part = {
  isFresh: () => true,
  show: async (own) => page(own, 200, doneIn(own, ["saved", "removed"])),
  take: {
    async set(own) {
      const typed = inPlain(own.visit.fields.of("phone")).trim();
      const isLong = typed.length > accountCharacters.phone;
      const number = isLong ? undefined : await own.site.readPhoneNumber(typed);
      if (number === undefined) return page(own, 400, { wrong: "invalid" });
      const code = sealedCode(own, type);
      return await end(own, (state, self, nowMs) =>
        setOwnPhone(state, { ...self, phone: number, code }, nowMs),
      );
    },
    async resend(own) {
      const code = sealedCode(own, type);
      return await end(own, (state, self, nowMs) =>
        resendOwnPhoneCode(state, { ...self, code }, nowMs),
      );
    },
    async verify(own) {
      const shown = typedFor(own, type);
      return await end(own, (state, _self, nowMs) => verifyOwnPhone(state, shown, nowMs), "saved");
    },
    remove: (own) => end(own, removeOwnPhone, "removed"),
  },
};

type Done = "saved" | "removed";

const type = "user.human.phone.code.added";

const wrongs: { readonly [reason in Rejection["reason"]]?: WrongOwnPhone } = {
  NOTHING_CHANGED: "same",
  CODE_INVALID: "code",
  CODE_TOO_SOON: "tooSoon",
  TOO_MANY_SMS: "tooMany",
};

/** Decides, and says what is wrong, or shows the part as it is by then. */
async function end(
  own: Own,
  decision: Parameters<typeof decideOwn>[1],
  done?: Done,
): Promise<Answer> {
  const refused = await decideOwn(own, decision);
  if (refused === undefined) return backTo("phone", done);
  const wrong = wrongs[refused.reason];
  if (wrong === undefined) return refusedIn("phone", refused);
  return page(own, wrong === "tooSoon" || wrong === "tooMany" ? 429 : 400, { wrong });
}

function page(
  { displayName, secret, visit, found: { state } }: Own,
  status: number,
  told: { readonly wrong?: WrongOwnPhone; readonly done?: Done },
): Answer {
  const typed = visit.fields.of("phone").trim();
  const { phone: phoneCharactersMax } = accountCharacters;
  const shown = { displayName, secret, phone: state.human?.phone, typed, phoneCharactersMax };
  return { status, page: ownPhonePage({ ...shown, ...told }) };
}
