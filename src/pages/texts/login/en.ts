import { html } from "../../../text/html.ts";
import type { LoginTexts } from "../../texts.ts";
import { external } from "../external/en.ts";

export const login: LoginTexts = {
  title: "Log in",
  to: (application, organization) => html`${application} by ${organization}`,
  toAccount: "Your account",
  again: "Log in again to change this.",
  userName: "User name or email",
  submit: "Log in",
  wrong: "Wrong user name or password.",
  wrongHelp: "After too many attempts, wait 15 minutes.",
  tooMany: "There were too many attempts from your network. Wait 15 minutes, then try again.",
  cancel: "Cancel",
  or: "or",
  factors: {
    password: "password",
    otp: "one-time code",
    passkey: "passkey",
    recovery: "recovery code",
    external: "account elsewhere",
  },
  passkey: {
    offer: "Log in with a passkey",
    title: "Log in with a passkey",
    ask: "Your device will ask for your fingerprint, your face or your PIN.",
    submit: "Try again",
    other: "Log in with a password",
    wrong: "This passkey wasn’t accepted. Try again, or log in with your password.",
    needsScript:
      "Passkeys require JavaScript. Turn it on for this page, or log in with your password.",
    problems: {
      cancelled:
        "No passkey was used: you have none for this service here, it was cancelled, or it took too long.",
      address: "Passkeys can’t be used at this address. Contact the people who run this service.",
      unsupported: "This browser or device can’t use passkeys. Log in with your password.",
      failed: "That didn’t work. Check your connection and try again.",
    },
  },
  otp: {
    title: "Enter a one-time code",
    ask: "Open your authenticator app and enter the code it shows.",
    label: "One-time code",
    hint: "Six digits.",
    wrong: "This code isn’t valid, or has already been used. Wait for the next one.",
    tooManyInDay:
      "There were too many wrong codes in this browser. Try again tomorrow, or in another browser.",
  },
  recovery: {
    offer: "Use a recovery code instead",
    title: "Enter a recovery code",
    ask: "Enter one of the recovery codes you saved. Each one works once.",
    label: "Recovery code",
    hint: "16 letters and digits. Spaces, hyphens and capital letters don’t matter.",
    wrong:
      "This code isn’t valid, or has already been used. Check what you typed, or enter another one.",
    other: "Enter a one-time code",
    none: {
      title: "You have no recovery codes",
      paragraphs: [
        "You have used all of them, or never created any. Ask the person who manages your account to remove your authenticator app. You can then log in with your password, and set up another app.",
      ],
    },
  },
  setup: {
    title: "Set up an authenticator app",
    ask: "The organization also asks for a one-time code. Install an authenticator app on your phone, and set it up now.",
    done: "Your authenticator app is set up",
  },
  change: {
    title: "Choose a new password",
    ask: "You need to choose a new password before you can continue.",
    label: "New password",
    submit: "Change password",
    same: "Choose a password you haven’t used before.",
  },
  forgotten: {
    link: "Forgot password?",
    title: "Reset your password",
    ask: "Enter your user name or email address, and we’ll email you a link to choose a new password.",
    submit: "Send email",
    back: "Back to login",
    tooMany: "Too many emails were requested from your network. Wait an hour, then try again.",
    sent: {
      title: "Check your email",
      paragraphs: [
        "If you have an account with a password here, an email is on its way to you. Its link works once, within an hour. If you request several emails, only the latest one works.",
        "No email? Check your spam folder and what you entered. If you haven’t set up your account yet, open the email that invited you. Otherwise, ask the person who manages your account.",
      ],
    },
    of: (person, organization) => html`${person} at ${organization}`,
    choose: "This logs you out on all your devices.",
    changed: {
      title: "Your password was changed",
      paragraphs: ["From now on, log in with your new password."],
    },
    elsewhere: "Go back to the app you want to use, and log in from there.",
  },
  external,
  register: {
    offer: "Create an account",
    title: "Create an account",
    emailHint: "We’ll send a code to this address.",
    domains: (domains) => html`We’ll send a code to this address. Allowed domains: ${domains}.`,
    wrongDomain: "Enter an address of one of the allowed domains.",
    tooMany: "Too many emails were requested. Try again tomorrow.",
    submit: "Continue",
    code: {
      title: "Check your email",
      ask: (email) => html`We’re sending an email to ${email}.`,
      inMail:
        "If it contains a code, enter it here. If it says that you already have an account, log in.",
      help: "After five wrong codes, you have to start again. If you asked for several emails, only the last one works.",
      again: "Send another email",
      other: "Change the email address",
    },
    way: {
      title: "Choose how to log in",
      ask: "Your email address is confirmed. One more step, and your account is ready.",
      address: "A user name with @ must be your own email address.",
      submit: "Create account",
      passkey: "Use a passkey instead",
      other: "Back",
      needsScript: "Passkeys require JavaScript. Turn it on for this page.",
      unsupported: "This browser or device can’t create passkeys.",
    },
    held: {
      title: "You already have an account",
      paragraphs: ["There is an account with this email address. Log in with it."],
    },
    over: {
      title: "This code is no longer valid",
      paragraphs: [
        "It has expired, or a wrong code was entered too often. No account was created.",
      ],
    },
    beginAgain: "Start again",
  },
  proceed: {
    title: "Continue",
    ask: "You’re logged in as this person.",
    away: "The app can also look up who you are while you’re away.",
    submit: "Continue",
    other: "Log in as someone else",
  },
  consent: {
    title: "Allow access",
    ask: (application, organization) =>
      html`${application} by ${organization} wants to act on your behalf.`,
    site: "Continues to",
    you: "You’re logged in as",
    list: "If you allow this, the app can:",
    identity: "know who you are",
    grants: {
      api: "view, change and delete everything that you can in this service, on your behalf",
      profile: "see your name, language and gender",
      email: "see your email address",
      phone: "see your phone number",
      away: "do so while you’re away, too",
    },
    trust: "Only allow it if you know the app and trust the people who run it.",
    submit: "Allow",
    deny: "Don’t allow",
  },
  device: {
    title: "Connect a device",
    enter: "Enter the code that your device shows. Never enter a code that somebody sent you.",
    label: "Code on the device",
    hint: "Eight letters. Hyphens and capital letters don’t matter.",
    wrong:
      "This code isn’t valid, has expired, or has already been used. Check what your device shows.",
    submit: "Continue",
    consent: {
      title: "Log in on the other device?",
      ask: (application, organization) =>
        html`${application} by ${organization} wants to log you in on another device.`,
      trust:
        "Only allow it if you started this yourself, on a device in front of you. If somebody sent you the code or a link, don’t allow it.",
    },
    allowed: {
      title: "Your device is connected",
      paragraphs: [
        "Go back to your device. It continues by itself in a few seconds. You can close this page.",
      ],
    },
    denied: {
      title: "Your device isn’t connected",
      paragraphs: ["You didn’t allow it, or you may not use this app. You can close this page."],
    },
    over: {
      title: "This code no longer works",
      paragraphs: ["It has expired or has already been used. Request a new code on your device."],
    },
    again: "Enter another code",
  },
  logout: {
    title: "Log out",
    ask: "Do you want to log out? This logs you out of all apps in this browser.",
    submit: "Log out",
    stay: "Stay logged in",
    refused: "This app can’t log you out",
  },
  onward: {
    title: "One moment, please",
    ask: "You’re being redirected. If nothing happens, press “Continue”.",
    submit: "Continue",
  },
  loggedOut: { title: "You’re logged out", paragraphs: ["You can close this page."] },
  unready: {
    title: "Your account isn’t set up yet",
    paragraphs: [
      "Open the link in the email you received, and set up your account first. If you can’t find the email, ask the person who created your account.",
    ],
  },
  notAllowed: {
    title: "You cannot log in this way",
    paragraphs: [
      "The rules of an organization do not allow it. Log in another way, for example with a passkey. If you have no other way, ask the person who manages your account.",
    ],
  },
  expired: {
    title: "This login has expired",
    paragraphs: [
      "It took too long, has already been completed, or was started in another browser. Go back to the app and log in again from there.",
    ],
  },
  refused: {
    title: "This app can’t log you in",
    paragraphs: [
      "It isn’t your fault: what the app requested is invalid or not allowed. Give the details below to the people who run the app.",
    ],
  },
  refusedDetails: {
    uri: "URI sent",
    clientId: "Client ID",
    register: (list, operation) =>
      `This URI isn’t registered for the app; URIs must match character by character. To register it, add it to ${list} with ${operation}.`,
  },
};
