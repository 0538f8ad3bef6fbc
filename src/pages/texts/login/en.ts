import { html } from "../../../text/html.ts";
import type { LoginTexts } from "../../texts.ts";

export const login: LoginTexts = {
  title: "Log in",
  to: (application, organization) => html`to ${application} of ${organization}`,
  toAccount: "to your account",
  again: "Please log in again to change this.",
  userName: "User name or email",
  submit: "Log in",
  wrong: "Wrong user name or password.",
  wrongHelp: "After too many attempts, wait a quarter of an hour.",
  tooMany: "There were too many attempts from your network. Please wait a quarter of an hour.",
  cancel: "Cancel",
  or: "or",
  passkey: {
    offer: "Log in with a passkey",
    title: "Log in with a passkey",
    ask: "Your device asks for your fingerprint, your face or its PIN.",
    submit: "Try again",
    other: "Log in with a password",
    wrong: "This passkey was not accepted. Please try again, or log in with your password.",
    needsScript:
      "Passkeys need JavaScript. Please turn it on for this page, or log in with your password.",
    problems: {
      cancelled:
        "No passkey was used: there is none for this service here, it was cancelled, or it took too long.",
      address:
        "Passkeys cannot be used at this address. Please tell the people who run this service.",
      unsupported: "This browser or device cannot use passkeys. Please log in with your password.",
      failed: "That did not work. Please check your connection and try again.",
    },
  },
  otp: {
    title: "Enter a one-time code",
    ask: "Open your authenticator app and enter the code that it shows.",
    label: "One-time code",
    hint: "Six digits.",
    wrong: "This code is not valid, or was used already. Please wait for the next one.",
  },
  recovery: {
    offer: "Use a recovery code instead",
    title: "Enter a recovery code",
    ask: "Enter one of the recovery codes that you kept. Each works once.",
    label: "Recovery code",
    hint: "16 letters and digits. Spaces, hyphens and case do not matter.",
    wrong:
      "This code is not valid, or was used already. Check what you typed, or enter another one.",
    other: "Enter a one-time code",
    none: {
      title: "You have no recovery codes",
      paragraphs: [
        "None is left, or you never created any. Ask the person who manages your account to remove your authenticator app. You can then log in with your password alone.",
      ],
    },
  },
  change: {
    title: "Choose a new password",
    ask: "You have to choose a new password before you can go on.",
    label: "New password",
    submit: "Change password",
    same: "Choose a password that you did not have before.",
  },
  forgotten: {
    link: "Forgot password?",
    title: "Forgot your password?",
    ask: "Enter your user name or email address. You get an email with a link to choose another password.",
    submit: "Send email",
    back: "Back to the login",
    tooMany: "Your network has asked for too many emails. Please wait an hour.",
    sent: {
      title: "Check your email",
      paragraphs: [
        "If you have an account with a password here, an email is on its way to your address. The link in it works once, within an hour. Of several emails, only the last one counts.",
        "No email? Check your spam folder, and what you entered. If you have not set up your account yet, open the email that asked you to. Otherwise ask the person who manages your account.",
      ],
    },
    of: (person, organization) => html`${person} at ${organization}`,
    choose: "All sessions of your account end then, on every device.",
    changed: {
      title: "Your password is changed",
      paragraphs: ["From now on, log in with the new one."],
    },
    elsewhere: "Go back to the application that you want to use, and log in from there.",
  },
  proceed: {
    title: "Continue",
    ask: "You are logged in as this person.",
    away: "The application may look up who you are while you are away, too.",
    submit: "Continue",
    other: "Log in as somebody else",
  },
  consent: {
    title: "Allow access",
    ask: (application, organization) =>
      html`${application} of ${organization} wants to act for you.`,
    site: "It leads to",
    you: "You are logged in as",
    list: "If you allow it, the application can:",
    identity: "know who you are",
    grants: {
      api: "see, change and remove in this service everything that you can, in your name",
      profile: "see your name, language and gender",
      email: "see your email address",
      phone: "see your phone number",
      away: "do so while you are away, too",
    },
    trust: "Allow it only if you know the application and trust the people who run it.",
    submit: "Allow",
    deny: "Do not allow",
  },
  logout: {
    title: "Log out",
    ask: "Do you want to log out? This ends your session in this browser, for all applications.",
    submit: "Log out",
    stay: "Stay logged in",
    refused: "The application cannot log you out this way",
  },
  onward: {
    title: "One moment, please",
    ask: "You are being sent on. If nothing happens, press “Continue”.",
    submit: "Continue",
  },
  loggedOut: { title: "You are logged out", paragraphs: ["You can close this page."] },
  unready: {
    title: "Your account is not set up yet",
    paragraphs: [
      "Please open the link in the email that you received, and set up your account first. If you have no such email, ask the person who created your account.",
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
  refusedDetails: {
    uri: "URI that was sent",
    clientId: "Client ID",
    register: (list) =>
      `The application has no such URI: they are compared character by character. To register it, add it to ${list} with UpdateOIDCAppConfig, together with all settings that GetAppByID shows, but without clientId and allowedOrigins.`,
  },
};
