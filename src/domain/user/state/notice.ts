/** What a person is told of by mail. */
export type NoticeAbout =
  | "password.changed"
  | "email.requested"
  | "email.changed"
  | "phone.changed"
  | "phone.removed"
  | "passkey.added"
  | "passkey.removed"
  | "externalidp.added"
  | "externalidp.removed"
  | "otp.added"
  | "otp.removed"
  | "recovery_codes.added"
  | "recovery_code.used"
  | "erasure.withdrawn"
  | Upcoming;

/** What is still to come, so that the mail says when. */
type Upcoming = "erasure.requested" | "erasure.due";

/** Payload of "user.human.notice.added". */
export type Notice = {
  /** An address that was verified before, where it is not the person's own of the delivery. */
  readonly to?: string;
} & (
  | { readonly about: Exclude<NoticeAbout, Upcoming> }
  | {
      readonly about: Upcoming;
      /** When it happens (Unix milliseconds). */
      readonly dueMs: number;
    }
);

/** The event that asks for the mail. */
export interface NoticeAdded {
  readonly type: "user.human.notice.added";
  readonly payload: Notice;
}

/** Milliseconds from what happened to when its mail is of no use any more: 3 days. */
export const noticeLifetimeMs = 3 * 24 * 60 * 60 * 1_000;

/** A person, as far as it concerns where mails go. */
interface Addressed {
  readonly email: string;
  readonly isEmailVerified: boolean;
}

/** A user, as far as it concerns whether there is a person to tell. */
interface Told {
  readonly human?: Addressed & { readonly initialization?: object };
}

/**
 * The events by which a person is told of something: none without a verified address to tell, and
 * none before the person has taken the account over.
 */
export function noticeOf(user: Told | undefined, notice: Notice): readonly NoticeAdded[] {
  const human = user?.human;
  if (human === undefined || human.initialization !== undefined) return [];
  if (addressOf(human, notice) === undefined) return [];
  return [{ type: "user.human.notice.added", payload: notice }];
}

/** The address of a notice, as the person is now, and until when it is of use. */
export function findReader(
  human: Addressed,
  notice: Notice,
  addedMs: number,
): { readonly to: string; readonly expirationMs: number } | undefined {
  const to = addressOf(human, notice);
  if (to === undefined) return undefined;
  const dueMs = "dueMs" in notice ? notice.dueMs : Number.POSITIVE_INFINITY;
  return { to, expirationMs: Math.min(addedMs + noticeLifetimeMs, dueMs) };
}

function addressOf(human: Addressed, { to }: Notice): string | undefined {
  return to ?? (human.isEmailVerified ? human.email : undefined);
}
