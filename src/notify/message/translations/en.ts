import type { Texts } from "../translation.ts";

/** What messages say in English. */
export const en: Texts = {
  initialization: {
    subject: "Set up your account",
    text: ({ name, organization, code, link, until }) => `Hello ${name},

an account was created for you at ${organization}.
Open this link to set it up:

${link}

Your code is ${code}. Link and code are valid until ${until} UTC.

If you weren’t expecting this email, you can ignore it.
`,
  },
  email: {
    subject: "Verify your email address",
    text: ({ name, organization, code, link, until }) => `Hello ${name},

this email address was given for your account at ${organization}.
Open this link to verify it:

${link}

Your code is ${code}. Link and code are valid until ${until} UTC.

If you don’t have an account there, don’t open the link. You can ignore this email.
`,
  },
  emailRequest: {
    subject: "Confirm your new email address",
    text: ({ name, organization, code, link, until }) => `Hello ${name},

someone, probably you, asked to use this email address for an account at
${organization}. Open this link to confirm it:

${link}

Your code is ${code}. Link and code are valid until ${until} UTC.

If it wasn’t you, don’t open the link. You can ignore this email.
`,
  },
  reset: {
    subject: "Reset your password",
    text: ({ name, organization, link, until }) => `Hello ${name},

someone, probably you, asked to reset the password of your account at
${organization}. Open this link to choose a new one:

${link}

It works once, until ${until} UTC. Using it logs you out on all your devices.

If it wasn’t you, you can ignore this email: your password stays the same.
`,
  },
  passkey: {
    subject: "Create a passkey",
    text: ({ name, organization, link, until }) => `Hello ${name},

use this link to create a passkey for your account at ${organization}.
Open it on the device you log in with:

${link}

It works once, until ${until} UTC.

If you weren’t expecting this email, don’t open the link. You can ignore it.
`,
  },
  registration: {
    subject: "Your code to create an account",
    text: ({ organization, code, until }) => `Hello,

someone, probably you, wants to create an account at ${organization} with this
email address. To confirm it, enter this code on the page where you started:

${code}

The code is valid until ${until} UTC. Don’t share it with anyone.

If it wasn’t you, you can ignore this email. Without the code, no account is created.
`,
  },
  registered: {
    subject: "You already have an account",
    text: ({ organization, link }) => `Hello,

someone, probably you, tried to create an account at ${organization} with this
email address. You already have one, so nothing has changed.
Log in with this email address:

${link}

If you’ve forgotten your password, choose “Forgot password?” on the login page.
If you can’t log in, contact your administrator.

If it wasn’t you, you can ignore this email.
`,
    button: "Log in",
  },
  notice: {
    greet: (name) => `Hello ${name},`,
    ifNotYou: `If this wasn’t you, choose a new password on this page,
and tell your administrator:`,
    withdraw: `Until then, you can withdraw the request on this page. If this wasn’t you,
choose a new password there as well, and tell your administrator:`,
    button: "Open your account",
    about: {
      "password.changed": {
        subject: "Your password was changed",
        text: ({ organization, time }) =>
          `the password of your account at ${organization} was changed on
${time} UTC.`,
      },
      "email.requested": {
        subject: "A new email address was requested",
        text: ({ organization, time }) =>
          `a new email address was requested for your account at ${organization} on
${time} UTC. This address stays in use until the new one is confirmed.`,
      },
      "email.changed": {
        subject: "Your email address was changed",
        text: ({ organization, time }) =>
          `the email address of your account at ${organization} was changed on
${time} UTC.`,
      },
      "phone.changed": {
        subject: "Your phone number was changed",
        text: ({ organization, time }) =>
          `the phone number of your account at ${organization} was changed on
${time} UTC.`,
      },
      "phone.removed": {
        subject: "Your phone number was removed",
        text: ({ organization, time }) =>
          `the phone number of your account at ${organization} was removed on
${time} UTC.`,
      },
      "passkey.added": {
        subject: "A passkey was added",
        text: ({ organization, time }) =>
          `a passkey was added to your account at ${organization} on
${time} UTC.`,
      },
      "passkey.removed": {
        subject: "A passkey was removed",
        text: ({ organization, time }) =>
          `a passkey was removed from your account at ${organization} on
${time} UTC.`,
      },
      "externalidp.added": {
        subject: "An account elsewhere was linked",
        text: ({ organization, time }) =>
          `an account at another provider was linked to your account at ${organization} on
${time} UTC. You can log in with it from now on.`,
      },
      "externalidp.removed": {
        subject: "An account elsewhere was unlinked",
        text: ({ organization, time }) =>
          `an account at another provider was unlinked from your account at ${organization} on
${time} UTC. You can no longer log in with it.`,
      },
      "otp.added": {
        subject: "An authenticator app was added",
        text: ({ organization, time }) =>
          `an authenticator app was added to your account at ${organization} on
${time} UTC.`,
      },
      "otp.removed": {
        subject: "Your authenticator app was removed",
        text: ({ organization, time }) =>
          `the authenticator app was removed from your account at ${organization} on
${time} UTC.`,
      },
      "recovery_codes.added": {
        subject: "You have new recovery codes",
        text: ({ organization, time }) =>
          `new recovery codes were created for your account at ${organization} on
${time} UTC. Earlier codes are no longer valid.`,
      },
      "recovery_code.used": {
        subject: "A recovery code was used",
        text: ({ organization, time }) =>
          `a recovery code was used to log in to your account at ${organization} on
${time} UTC. It is no longer valid.`,
      },
      "erasure.requested": {
        subject: "Your account will be deleted",
        text: ({ organization, time, due }) =>
          `a request to delete your account at ${organization} was made on
${time} UTC. The account will be deleted on ${due} UTC.`,
      },
      "erasure.withdrawn": {
        subject: "Your account won’t be deleted",
        text: ({ organization, time }) =>
          `the request to delete your account at ${organization} was withdrawn on
${time} UTC. You keep your account.`,
      },
      "erasure.due": {
        subject: "Your account will soon be deleted",
        text: ({ organization, due }) =>
          `a request to delete your account at ${organization} was made.
The account will be deleted on ${due} UTC.`,
      },
    },
  },
  why: (organization) =>
    `You received this email because your address was given for an account at ${organization}.`,
  phone: {
    subject: "Your code",
    text: (code, host) => `Your code for ${host} is ${code}. Do not share it with anyone.`,
  },
};
