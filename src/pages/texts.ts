import type { Factor, StandIn } from "../domain/user/state/factor.ts";
import type { Html } from "../text/html.ts";
import type { AccountTexts } from "./account-texts.ts";
import type { DeviceTexts } from "./device-texts.ts";
import type { ExternalTexts } from "./external-texts.ts";
import type { Notice, OverLink, Problem } from "./notice.ts";
import type { RegisterTexts } from "./register-texts.ts";

/** Everything that pages say in one language. */
export interface Texts {
  /** Before the title of a page on which something is wrong. */
  readonly error: string;
  /** The way past what is the same on several pages. */
  readonly skip: string;
  /** What people choose below a page. */
  readonly languages: string;
  readonly code: {
    readonly label: string;
    readonly hint: string;
    readonly wrong: string;
  };
  readonly initialization: {
    readonly title: string;
    readonly askCode: string;
    readonly submitCode: string;
    /** What to do when the right code is refused. */
    readonly wrongCodeHelp: string;
    readonly choosePassword: string;
    /** Where the account has a password already. */
    readonly keepPassword: string;
    readonly submit: string;
    readonly submitKept: string;
  };
  readonly password: {
    readonly label: string;
    readonly show: string;
    rule(min: number, max: number): string;
    wrong(min: number, max: number): string;
    /** Of one that is tried first. */
    readonly common: string;
    tooShort(min: number): string;
    tooLong(max: number): string;
    readonly longEnough: string;
  };
  readonly login: LoginTexts;
  readonly account: AccountTexts;
  /** What is said to a person who becomes an owner of the instance; others are asked alike. */
  readonly owner: {
    readonly title: string;
    readonly explanation: string;
    readonly userName: string;
    readonly email: string;
    readonly emailHint: string;
    readonly firstName: string;
    readonly lastName: string;
    readonly submit: string;
    /** Of a user name that somebody has. */
    readonly taken: string;
    /** Of a name that is empty, too long, or has what no name may have. */
    invalidName(max: number): string;
    readonly invalidEmail: string;
  };
  readonly passkey: {
    readonly title: string;
    readonly explanation: string;
    readonly name: string;
    readonly nameHint: string;
    readonly submit: string;
    readonly waiting: string;
    readonly needsScript: string;
    /**
     * What can go wrong once the button was pressed; `passkey-form.js` has the same names, and
     * `full`, which the account page has a text for.
     */
    readonly problems: { readonly [problem in PasskeyProblem]: string };
  };
  readonly phone: {
    readonly title: string;
    readonly askCode: string;
    readonly submit: string;
    /** What to do when the right code is refused. */
    readonly wrongCodeHelp: string;
  };
  readonly email: {
    readonly title: string;
    /** Where the link has the code. */
    readonly ask: string;
    readonly askCode: string;
    readonly submit: string;
    /** What to do when the right code is refused. */
    readonly wrongCodeHelp: string;
  };
  readonly done: {
    readonly [after in After]: Notice;
  } & {
    readonly phoneLeft: string;
    readonly verifyPhone: string;
  };
  /** What stands where the address has no path. */
  readonly home: {
    readonly title: string;
    /** On the way there from a page on which something is wrong. */
    readonly link: string;
    readonly about: string;
    /** For those who were sent a link. */
    readonly people: string;
  };
  /** Of a link that counts no longer: why, and what to do, by what the link is for. */
  readonly overLink: {
    readonly title: string;
    readonly reasons: { readonly [link in OverLink]: readonly string[] };
  };
  readonly problems: { readonly [problem in Exclude<Problem, OverLink>]: Notice };
  /** Before the id of the request, under which operators find what went wrong. */
  readonly requestId: string;
}

/** What is said to those who log in and out; names in its sentences come as `marked` makes them. */
export interface LoginTexts extends StandInTexts {
  readonly title: string;
  /** Where a login leads, below any title: the application, and its organization. */
  to(application: Html, organization: Html): Html;
  /** The same of a login to the account page. */
  readonly toAccount: string;
  /** To one who is logged in, but not freshly. */
  readonly again: string;
  readonly userName: string;
  readonly submit: string;
  readonly wrong: string;
  /** What to do when the right password is refused. */
  readonly wrongHelp: string;
  readonly tooMany: string;
  readonly cancel: string;
  /** Between two ways to log in. */
  readonly or: string;
  /** What each factor is called in a sentence. */
  readonly factors: { readonly [factor in Factor]: string };
  readonly passkey: {
    /** On the button that leads there. */
    readonly offer: string;
    readonly title: string;
    readonly ask: string;
    readonly submit: string;
    readonly other: string;
    readonly wrong: string;
    readonly needsScript: string;
    /** What can go wrong in the browser; `passkey-form.js` has these names. */
    readonly problems: { readonly [problem in PasskeyLoginProblem]: string };
  };
  readonly otp: {
    readonly title: string;
    readonly ask: string;
    readonly label: string;
    readonly hint: string;
    readonly wrong: string;
    /** Of codes of any kind: a browser where the person logged in before has used up its own. */
    readonly tooManyInDay: string;
  };
  /** An authenticator app that the rules ask for: see `account.authenticator`. */
  readonly setup: {
    readonly title: string;
    readonly ask: string;
    /** The title where it is set up. */
    readonly done: string;
  };
  readonly change: {
    readonly title: string;
    readonly ask: string;
    readonly label: string;
    readonly submit: string;
    /** Of one that is what it was. */
    readonly same: string;
  };
  /** What is said to those who have forgotten the password. */
  readonly forgotten: {
    /** On the page that asks for it. */
    readonly link: string;
    readonly title: string;
    readonly ask: string;
    readonly submit: string;
    readonly back: string;
    readonly tooMany: string;
    /** Whether anybody gets a mail or not. */
    readonly sent: Notice;
    /** Whose password it is. */
    of(person: Html, organization: Html): Html;
    readonly choose: string;
    readonly changed: Notice;
    /** Where no login is open in the browser. */
    readonly elsewhere: string;
  };
  readonly external: ExternalTexts;
  readonly register: RegisterTexts;
  readonly proceed: {
    readonly title: string;
    readonly ask: string;
    /** Where the application asks for access that lasts. */
    readonly away: string;
    readonly submit: string;
    readonly other: string;
  };
  /** Whether an application may call this service in the person's name. */
  readonly consent: {
    readonly title: string;
    ask(application: Html, organization: Html): Html;
    /** Before where the answer goes. */
    readonly site: string;
    /** Before the name of the person. */
    readonly you: string;
    /** Before what it can do then. */
    readonly list: string;
    /** What every application can. */
    readonly identity: string;
    /** What else it can, by what it asks for. */
    readonly grants: { readonly [grant in Grant]: string };
    /** Whom to allow it. */
    readonly trust: string;
    readonly submit: string;
    readonly deny: string;
  };
  readonly device: DeviceTexts;
  readonly logout: {
    readonly title: string;
    readonly ask: string;
    readonly submit: string;
    readonly stay: string;
    /** The title in place of that of `refused`, where a logout was asked for. */
    readonly refused: string;
  };
  /** On a form that sends itself to where a login or a logout leads. */
  readonly onward: { readonly title: string; readonly ask: string; readonly submit: string };
  readonly loggedOut: Notice;
  /** The right password of an account that nobody has taken over. */
  readonly unready: Notice;
  /** What was shown is right, but the rules of an organization let nobody in by it. */
  readonly notAllowed: Notice;
  /** A login that is over, or began in another browser. */
  readonly expired: Notice;
  /** What an application asks for cannot be done; what the protocol calls the reason follows. */
  readonly refused: Notice;
  /** For the people who made the application: what it has sent, and what to do. */
  readonly refusedDetails: {
    readonly uri: string;
    readonly clientId: string;
    /** Where a URI has to be among those of the application: in the list with that name. */
    register(list: string, operation: string): string;
  };
}

/** What is said to those who log in without their authenticator app, by what they show instead. */
type StandInTexts = {
  readonly [factor in StandIn]: {
    /** On the page that asks for a one-time code. */
    readonly offer: string;
    readonly title: string;
    readonly ask: string;
    readonly label: string;
    readonly hint: string;
    readonly wrong: string;
    /** On the way back. */
    readonly other: string;
    /** Where no code is left. */
    readonly none: Notice;
  };
};

/** What was done when nothing is left to do; `something` where nobody knows. */
export type After = "account" | "passkey" | "phone" | "email" | "owner" | "something";

/** What an application may ask of a person besides who it is. */
export type Grant = "api" | "profile" | "email" | "phone" | "away";

export type PasskeyProblem =
  | "cancelled"
  | "known"
  | "address"
  | "unsupported"
  | "code"
  | "invalid"
  | "failed";

export type PasskeyLoginProblem = Exclude<PasskeyProblem, "known" | "code" | "invalid">;
