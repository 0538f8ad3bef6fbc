import type { LoginTexts } from "../../texts.ts";

export const login: LoginTexts = {
  title: "Log in",
  to: (application, organization) => `to ${application} of ${organization}`,
  userName: "User name or email",
  submit: "Log in",
  wrong:
    "The user name or the password is wrong, or there were too many attempts. Please check both and try again; after too many attempts, wait a quarter of an hour.",
  tooMany: "There were too many attempts from your network. Please wait a quarter of an hour.",
  cancel: "Cancel",
  otp: {
    title: "Enter a one-time code",
    ask: "Open your authenticator app and enter the code that it shows.",
    label: "One-time code",
    hint: "Six digits.",
    wrong: "This code is not valid, or was used already. Please wait for the next one.",
  },
  change: {
    title: "Choose a new password",
    ask: "You have to choose a new password before you can go on.",
    label: "New password",
    submit: "Change password",
    same: "Choose a password that you did not have before.",
  },
  proceed: {
    title: "Continue",
    ask: "You are logged in as this person.",
    submit: "Continue",
    other: "Log in as somebody else",
  },
  logout: {
    title: "Log out",
    ask: "Do you want to log out? This ends your session in this browser, for all applications.",
    submit: "Log out",
    stay: "Stay logged in",
  },
  loggedOut: { title: "You are logged out", paragraphs: ["You can close this page."] },
  unready: {
    title: "Your account is not set up yet",
    paragraphs: [
      "Please open the link in the email that you received, and set up your account first. If you have no such email, ask whoever created your account.",
    ],
  },
  expired: {
    title: "This login is over",
    paragraphs: [
      "It took too long, was finished already, or began in another browser. Please go back to the application and log in again from there.",
    ],
  },
  refused: {
    title: "The application cannot log you in this way",
    paragraphs: [
      "It was not your mistake: what the application asked for was not understood or is not allowed. Tell those who run it what stands below.",
    ],
  },
};
