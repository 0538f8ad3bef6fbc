import type { Texts } from "../texts.ts";
import { account } from "./account/en.ts";
import { login } from "./login/en.ts";

export const en: Texts = {
  error: "Error",
  skip: "Skip to the content",
  code: {
    label: "Code",
    hint: "Six letters and digits. Capital or small letters and spaces make no difference.",
    wrong: "This code is not valid. Please check it and try again.",
  },
  initialization: {
    title: "Set up your account",
    askCode: "Enter the code from the email that you received.",
    submitCode: "Continue",
    wrongCodeHelp:
      "If it stays that way, the code may have been used already, have expired, or have been entered wrongly too often. Then ask the person who created your account for a new email.",
    choosePassword: "Choose a password, and your account is ready.",
    keepPassword: "Confirm that this account is yours. Your password stays as it is.",
    userName: "User name",
    submit: "Set up account",
    submitKept: "Confirm account",
  },
  password: {
    label: "Password",
    show: "Show password",
    rule: (min, max) => `${min} to ${max} characters. A few words that only you know are fine.`,
    wrong: (min, max) => `The password must have ${min} to ${max} characters.`,
    common: "Choose another password: this one is your name or one that many people have.",
    tooShort: (min) => `Still too short: at least ${min} characters.`,
    tooLong: (max) => `Too long: at most ${max} characters.`,
    longEnough: "Long enough. Common passwords are refused.",
  },
  login,
  account,
  owner: {
    title: "Become an owner",
    explanation:
      "An owner controls the whole instance: all organizations, people and applications.",
    userName: "User name",
    email: "Email",
    emailHint: "Check it well: anyone who reads mail there can choose a new password for you.",
    firstName: "First name",
    lastName: "Last name",
    submit: "Become an owner",
    taken: "Somebody has this user name already, or one that looks like it. Choose another.",
    invalidName: (max) => `Enter one line of 1 to ${max} characters here.`,
    invalidEmail: "Enter one email address, for example ada@example.com.",
  },
  passkey: {
    title: "Create a passkey",
    explanation:
      "With a passkey you log in by fingerprint, face or the PIN of your device, without a password. Your fingerprint and your face never leave the device.",
    name: "Name of the passkey (optional)",
    nameHint: "To recognise it later, for example “My phone”.",
    submit: "Create passkey",
    waiting: "Please follow the instructions of your device.",
    needsScript:
      "A passkey can only be created with JavaScript. Please turn it on for this page, or open the link in another browser.",
    problems: {
      cancelled: "No passkey was created: it was cancelled or took too long. Please try again.",
      known: "There already is a passkey for this account on this device. You need no other one.",
      address:
        "Passkeys cannot be created at this address. Please open the link exactly as you received it; if that does not help, tell the people who run this service.",
      unsupported:
        "This browser or device cannot create passkeys. Please open the link on another one.",
      code: "This link is no longer valid: it was used already or has expired. Ask the person who sent it to you for a new one.",
      invalid: "The passkey was not accepted. Please try again.",
      failed: "That did not work. Please check your connection and try again.",
    },
  },
  phone: {
    title: "Verify your phone number",
    askCode: "Enter the code from the text message that you received.",
    submit: "Verify",
    wrongCodeHelp:
      "If it stays that way, the code may have been used already, have expired, or have been entered wrongly too often. Ask the person who created your account for a new code.",
  },
  email: {
    title: "Verify your email address",
    ask: "Confirm that you received the email with this link, and that the account in it is yours.",
    askCode: "Enter the code from the email that you received.",
    submit: "Verify",
    wrongCodeHelp:
      "If it stays that way, the code may have been used already, have expired, or have been entered wrongly too often. Ask the person who manages your account for a new email.",
  },
  done: {
    account: {
      title: "Your account is ready",
      paragraphs: ["Everything is set up."],
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
      title: "You are an owner now",
      paragraphs: ["Log in with your user name and your password."],
    },
    something: { title: "Done", paragraphs: ["You can close this page."] },
    phoneLeft: "Your phone number is not verified yet. The code for it was sent as a text message.",
    verifyPhone: "Verify phone number",
  },
  home: {
    title: "Identity and access management",
    link: "Go to the start page",
    about:
      "Here you log in to the applications of your organization, and see and change your account.",
    people:
      "Were you sent here to set up your account? Then open the whole link, as you received it.",
  },
  problems: {
    link: {
      title: "This link is not complete",
      paragraphs: [
        "A part of the link is missing or was changed on the way. Please open it from your email again, or copy all of it into the address bar.",
      ],
    },
    code: {
      title: "This link is no longer valid",
      paragraphs: [
        "It was used already, has expired, or a wrong code was entered too often.",
        "If your account is set up, there is nothing left to do. Otherwise ask the person who created your account for a new email.",
      ],
    },
    passkeyCode: {
      title: "This link is no longer valid",
      paragraphs: [
        "It was used already, has expired, or was opened with a wrong code too often.",
        "If you have created your passkey, there is nothing left to do. Otherwise ask the person who sent you the link for a new one.",
      ],
    },
    emailCode: {
      title: "This link is no longer valid",
      paragraphs: [
        "It was used already, has expired, there is a newer email, or a wrong code was entered too often.",
        "If your email address is verified, there is nothing left to do. Otherwise ask the person who manages your account for a new email.",
      ],
    },
    resetCode: {
      title: "This link is no longer valid",
      paragraphs: [
        "It was used already, is older than an hour, or a newer email was sent.",
        "Go back to the application, and ask for another email on the page where you log in.",
      ],
    },
    ownerLink: {
      title: "This link is no longer valid",
      paragraphs: [
        "It was used already, is older than a day, or there is a newer one.",
        "The people who run this service can make another with the command owner-link.",
      ],
    },
    missing: {
      title: "There is no such page",
      paragraphs: ["Please check the address, or open the link from your email again."],
    },
    form: {
      title: "That did not work",
      paragraphs: [
        "What your browser sent could not be understood. Please go back to the page before and try again.",
      ],
    },
    later: {
      title: "Please try again in a moment",
      paragraphs: [
        "The service cannot answer right now. Nothing is lost: go back to the page before and try again.",
      ],
    },
    fault: {
      title: "Something went wrong",
      paragraphs: [
        "It was not your mistake. Please try again later. If it happens again, tell the people who run this service the request ID below.",
      ],
    },
  },
  requestId: "Request ID",
};
