import { html } from "../../../text/html.ts";
import type { ExternalTexts } from "../../external-texts.ts";

export const external: ExternalTexts = {
  offer: (provider) => html`Continue with ${provider}`,
  google: "Sign in with Google",
  arrived: (account, provider) => html`You’re logged in at ${provider} as ${account}.`,
  choose: {
    title: "No account is linked yet",
    ask: "If you have an account here, log in to it to link the two. Otherwise, create an account.",
    link: "I have an account here",
  },
  linking: (account, provider) =>
    html`Log in to your account here. ${account} at ${provider} is then linked to it.`,
  leave: "Don’t link",
  create: {
    title: "Complete your account",
    ask: "Check your details. Your account is then ready.",
  },
  problems: {
    denied: {
      title: "You weren’t logged in",
      paragraphs: [
        "The login at the other service was cancelled. Try again, or log in another way.",
      ],
    },
    unreachable: {
      title: "The other service isn’t responding",
      paragraphs: ["Wait a moment and try again, or log in another way."],
    },
    unusable: {
      title: "You weren’t logged in",
      paragraphs: [
        "The other service didn’t confirm who you are. Try again, or log in another way. If it happens again, contact the people who run this service.",
      ],
    },
    stale: {
      title: "You weren’t logged in",
      paragraphs: [
        "The other service doesn’t say that it asked you to log in again, which this login needs. Try again, or log in another way.",
      ],
    },
    unknown: {
      title: "No account is linked",
      paragraphs: [
        "No account here is linked to this one, and you can’t create one yourself. Ask the person who manages your account.",
      ],
    },
    unlinked: {
      title: "The account wasn’t linked",
      paragraphs: [
        "It belongs to someone else, or your organization doesn’t allow it. You can log in without it.",
      ],
    },
    tooMany: {
      title: "Try again later",
      paragraphs: [
        "Too many accounts were created from your network. Wait an hour, then try again.",
      ],
    },
  },
  trial: {
    verified: "Verified email",
    title: "The provider works",
    name: "Display name",
    nothing: "This was a trial. Nobody was logged in, and nothing was stored.",
  },
  other: "Log in another way",
};
