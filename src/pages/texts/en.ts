import type { Texts } from "../texts.ts";
import { account } from "./account/en.ts";
import { login } from "./login/en.ts";

export const en: Texts = {
  error: "Error",
  skip: "Skip to content",
  languages: "Language",
  code: {
    label: "Code",
    hint: "Six letters and digits. Spaces don’t matter, and neither do capital letters.",
    wrong: "This code isn’t valid. Check it and try again.",
  },
  initialization: {
    title: "Set up your account",
    askCode: "Enter the code from the email we sent you.",
    submitCode: "Continue",
    wrongCodeHelp:
      "If it still doesn’t work, the code may have been used, may have expired, or may have been entered wrongly too often. Ask the person who created your account for a new email.",
    choosePassword: "Choose a password to finish setting up your account.",
    keepPassword: "Confirm that this account is yours. Your password stays the same.",
    submit: "Set up account",
    submitKept: "Confirm account",
  },
  password: {
    label: "Password",
    show: "Show password",
    rule: (min, max) =>
      `${min} to ${max} characters. A few words that only you would put together work well.`,
    wrong: (min, max) => `Your password must be ${min} to ${max} characters long.`,
    common: "Choose a different password. This one is your name, or too common.",
    tooShort: (min) => `Too short: use at least ${min} characters.`,
    tooLong: (max) => `Too long: use at most ${max} characters.`,
    longEnough: "Long enough. Common passwords are refused.",
  },
  login,
  account,
  owner: {
    title: "Become an owner",
    explanation: "An owner controls the whole instance: all organizations, people and apps.",
    userName: "User name",
    email: "Email",
    emailHint: "Check it carefully. Anyone who can read email there can reset your password.",
    firstName: "First name",
    lastName: "Last name",
    submit: "Become an owner",
    taken: "This user name is taken, or looks like one that is. Choose another.",
    invalidName: (max) => `Enter 1 to ${max} characters, on one line.`,
    invalidEmail: "Enter one email address, for example ada@example.com.",
  },
  passkey: {
    title: "Create a passkey",
    explanation:
      "With a passkey, you log in with your fingerprint, your face or your device PIN instead of a password. Your fingerprint and face never leave your device.",
    name: "Name of the passkey (optional)",
    nameHint: "So that you can recognize it later, for example “My phone”.",
    submit: "Create passkey",
    waiting: "Follow the instructions on your device.",
    needsScript:
      "Creating a passkey requires JavaScript. Turn it on for this page, or open the link in another browser.",
    problems: {
      cancelled: "No passkey was created: it was cancelled or took too long. Try again.",
      known: "This device already has a passkey for this account. You don’t need another one.",
      address:
        "Passkeys can’t be created at this address. Open the link exactly as you received it. If that doesn’t help, contact the people who run this service.",
      unsupported: "This browser or device can’t create passkeys. Open the link on another one.",
      code: "This link is no longer valid: it has been used or has expired. Ask the person who sent it to you for a new one.",
      invalid: "The passkey wasn’t accepted. Try again.",
      failed: "That didn’t work. Check your connection and try again.",
    },
  },
  phone: {
    title: "Verify your phone number",
    askCode: "Enter the code from the text message we sent you.",
    submit: "Verify",
    wrongCodeHelp:
      "If it still doesn’t work, the code may have been used, may have expired, or may have been entered wrongly too often. Ask the person who created your account for a new code.",
  },
  email: {
    title: "Verify your email address",
    ask: "Confirm that you received the email with this link, and that the account it mentions is yours.",
    askCode: "Enter the code from the email we sent you.",
    submit: "Verify",
    wrongCodeHelp:
      "If it still doesn’t work, the code may have been used, may have expired, or may have been entered wrongly too often. Ask the person who manages your account for a new email.",
  },
  done: {
    account: {
      title: "Your account is ready",
      paragraphs: ["You’re all set."],
    },
    passkey: {
      title: "Your passkey is ready",
      paragraphs: ["It now belongs to your account. You can close this page."],
    },
    phone: {
      title: "Your phone number is verified",
      paragraphs: ["Thank you. You can close this page."],
    },
    email: {
      title: "Your email address is verified",
      paragraphs: ["Thank you. You can close this page."],
    },
    owner: {
      title: "You are now an owner",
      paragraphs: ["Log in with your user name and password."],
    },
    something: { title: "Done", paragraphs: ["You can close this page."] },
    phoneLeft: "Your phone number isn’t verified yet. We sent you a code by text message.",
    verifyPhone: "Verify phone number",
  },
  home: {
    title: "Identity and access management",
    link: "Go to the start page",
    about: "Log in to your organization’s apps, and view or change your account.",
    people:
      "Were you sent here to set up your account? Open the full link, exactly as you received it.",
  },
  overLink: {
    title: "This link is no longer valid",
    reasons: {
      code: [
        "It has been used, has expired, or a wrong code was entered too often.",
        "If your account is set up, there is nothing left to do. Otherwise, ask the person who created your account for a new email.",
      ],
      passkeyCode: [
        "It has been used, has expired, or was opened with a wrong code too often.",
        "If you have created your passkey, there is nothing left to do. Otherwise, ask the person who sent you the link for a new one.",
      ],
      emailCode: [
        "It has been used, has expired, was replaced by a newer email, or a wrong code was entered too often.",
        "If your email address is verified, there is nothing left to do. Otherwise, ask the person who manages your account for a new email.",
      ],
      resetCode: [
        "It has been used, is more than an hour old, or was replaced by a newer email.",
        "Go back to the app, and request another email on its login page.",
      ],
      ownerLink: [
        "It has been used, is more than a day old, or was replaced by a newer one.",
        "The people who run this service can create another one with the command owner-link.",
      ],
    },
  },
  problems: {
    link: {
      title: "This link is incomplete",
      paragraphs: [
        "Part of the link is missing or was changed along the way. Open it from your email again, or copy all of it into the address bar.",
      ],
    },
    missing: {
      title: "Page not found",
      paragraphs: ["Check the address, or open the link from your email again."],
    },
    form: {
      title: "That didn’t work",
      paragraphs: [
        "We couldn’t understand what your browser sent. Go back to the previous page and try again.",
      ],
    },
    later: {
      title: "Try again in a moment",
      paragraphs: [
        "The service can’t answer right now. Nothing is lost: go back to the previous page and try again.",
      ],
    },
    fault: {
      title: "Something went wrong",
      paragraphs: [
        "It wasn’t your fault. Try again later. If it happens again, give the people who run this service the request ID below.",
      ],
    },
  },
  requestId: "Request ID",
};
