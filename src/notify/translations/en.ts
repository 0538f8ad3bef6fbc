import type { Texts } from "../translation.ts";

/** What messages say in English. */
export const en: Texts = {
  locale: "en-GB",
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

this is now the email address of your account at ${organization}.
Open this link to verify it:

${link}

Your code is ${code}. Link and code are valid until ${until} UTC.

If you have no account there, do not open the link: you need not do anything.
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
  phone: {
    subject: "Your code",
    text: (code) => `Your code is ${code}. Do not share it with anyone.`,
  },
};
