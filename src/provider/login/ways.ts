import type { Factor } from "../../domain/user/state/factor.ts";
import type { Answer } from "../../pages/account.ts";
import { askForProvider, externalTakers } from "./external-arrive.ts";
import { takePassword } from "./factor.ts";
import { soFar } from "./onward.ts";
import type { Open } from "./open.ts";
import { backToOTP, showOTP, takeOTP } from "./otp.ts";
import { askForPasskey, takePasskey } from "./passkey.ts";
import { askForRecovery, takeRecovery } from "./recovery.ts";
import { setupTakers } from "./setup.ts";

/** How a factor is asked for and taken. */
interface Way {
  /** Asks for it behind another one; left out where the first page does. */
  readonly show?: (open: Open) => Answer;
  /** What takes the forms of its pages, by the step that a form names. */
  readonly take: { readonly [step: string]: (open: Open) => Promise<Answer> };
}

/** The ways of all factors. */
export const ways: { readonly [factor in Factor]: Way } = {
  password: { take: { password: takePassword } },
  otp: { show: showOTP, take: { otp: soFar(takeOTP), app: backToOTP, ...setupTakers } },
  recovery: {
    take: { recovery: soFar(askForRecovery), "recovery-code": soFar(takeRecovery) },
  },
  passkey: { take: { passkey: askForPasskey, assertion: takePasskey } },
  external: { take: { external: askForProvider, ...externalTakers } },
};

/** What takes the form of a step; steps come from browsers, so any text may be one. */
export const takers = new Map(Object.values<Way>(ways).flatMap(({ take }) => Object.entries(take)));
