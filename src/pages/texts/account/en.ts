import type { AccountTexts } from "../../account-texts.ts";

export const account: AccountTexts = {
  title: "Your account",
  navigation: "Your account",
  parts: {
    overview: "Overview",
    sessions: "Where you are logged in",
    data: "Your data",
    erasure: "Erase your account",
  },
  notLoggedIn: {
    title: "You are not logged in",
    paragraphs: ["Nobody has logged in with this browser. Log in to see and change your account."],
  },
  logIn: "Log in",
  open: "Open your account",
  overview: {
    userName: "User name",
    name: "Name",
    email: "Email",
    unverified: "Your email address is not verified.",
    organization: "Organization",
    erasing: (date) => `Your account will be erased on ${date}.`,
  },
  sessions: {
    about:
      "Whoever has one of these browsers is logged in as you. If you do not know one of them, log out there, and choose another password: with “Forgot your password?”, where you log in.",
    since: (time, factors) => `Since ${time}, with: ${factors}.`,
    used: (time) => `Last used: ${time}.`,
    program: (browser, system) => `${browser} on ${system}`,
    unknownProgram: "An unknown browser",
    network: (network) => `network ${network}`,
    factors: {
      password: "password",
      otp: "one-time code",
      passkey: "passkey",
      recovery: "recovery code",
    },
    gone: "An application that is no longer there",
    here: "This browser",
    endHere: "Log out here",
    end: "Log out there",
    endOthers: "Log out everywhere else",
    consents: "Applications that may act for you",
    withdraw: "Allow it no longer",
  },
  data: {
    about: [
      "You can download all that this service keeps about you: your account, where you are logged in, and what happened, with times and places.",
      "Passwords, codes and keys are not in the file. Keep it safe: it is about you.",
    ],
    submit: "Download your data",
  },
  erasure: {
    about: [
      "If you ask for it, your account is erased after 30 days. Until then you can change your mind here.",
      "On that day you are logged out everywhere, and all that is kept about you is erased. Nobody can bring it back. Applications that you used may keep data of their own.",
    ],
    holdsRoles:
      "You have administrative roles, so your account cannot be erased. Ask another administrator to remove the roles first.",
    submit: "Ask to erase your account",
    requested: (date) => `Your account will be erased on ${date}.`,
    withdrawable: "You can take that back until then. You get one more email the day before.",
    withdraw: "Keep your account",
  },
};
