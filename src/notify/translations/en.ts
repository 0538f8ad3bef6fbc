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

If you did not expect this mail, you need not do anything.
`,
  },
  email: {
    subject: "Verify your email address",
    text: ({ name, organization, code, link, until }) => `Hello ${name},

this email address was given for your account at ${organization}.
Open this link to verify it:

${link}

Your code is ${code}. Link and code are valid until ${until} UTC.

If you have no account there, do not open the link: you need not do anything.
`,
  },
  emailRequest: {
    subject: "Confirm your new email address",
    text: ({ name, organization, code, link, until }) => `Hello ${name},

somebody, probably you, has requested this email address for an account at
${organization}. Open this link to confirm it:

${link}

Your code is ${code}. Link and code are valid until ${until} UTC.

If it was not you, do not open the link: you need not do anything.
`,
  },
  reset: {
    subject: "Choose a new password",
    text: ({ name, organization, link, until }) => `Hello ${name},

somebody, probably you, has asked for a new password for your account at
${organization}. Open this link to choose one:

${link}

It can be used once, until ${until} UTC. All sessions of your account end then.

If it was not you, you need not do anything: your password stays as it is.
`,
  },
  passkey: {
    subject: "Create a passkey",
    text: ({ name, organization, link, until }) => `Hello ${name},

with this link you create a passkey for your account at ${organization}.
Open it on the device that you log in with:

${link}

It can be used once, until ${until} UTC.

If you did not expect this mail, do not open the link: you need not do anything.
`,
  },
  registration: {
    subject: "Your code to create an account",
    text: ({ organization, code, until }) => `Hello,

somebody, probably you, wants to create an account at ${organization} with this
email address. To confirm it, enter this code on the page where you began:

${code}

The code is valid until ${until} UTC. Give it to nobody.

If it was not you, you need not do anything: without the code no account is created.
`,
  },
  registered: {
    subject: "You already have an account",
    text: ({ organization, link }) => `Hello,

somebody, probably you, tried to create an account at ${organization} with this
email address. There is one already, so nothing was changed.
Log in with this email address:

${link}

If you forgot your password, choose “Forgot your password?” on the login page.
If you cannot log in, ask your administrator.

If it was not you, you need not do anything.
`,
    button: "Log in",
  },
  notice: {
    greet: (name) => `Hello ${name},`,
    ifNotYou: `If this was not you, choose a new password on this page,
and tell your administrator:`,
    withdraw: `Until then, you can withdraw the request on this page. If this was not you,
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
        subject: "Another email address was requested",
        text: ({ organization, time }) =>
          `another email address was requested for your account at ${organization} on
${time} UTC. Until it is confirmed, this address stays in use.`,
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
        subject: "Your account will be erased",
        text: ({ organization, time, due }) =>
          `the erasure of your account at ${organization} was requested on
${time} UTC. The account will be erased on ${due} UTC.`,
      },
      "erasure.withdrawn": {
        subject: "Your account will not be erased",
        text: ({ organization, time }) =>
          `the request to erase your account at ${organization} was withdrawn on
${time} UTC. Your account stays.`,
      },
      "erasure.due": {
        subject: "Your account will soon be erased",
        text: ({ organization, due }) =>
          `the erasure of your account at ${organization} was requested.
The account will be erased on ${due} UTC.`,
      },
    },
  },
  phone: {
    subject: "Your code",
    text: (code) => `Your code is ${code}. Do not share it with anyone.`,
  },
};
