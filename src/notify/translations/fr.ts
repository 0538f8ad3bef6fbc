import type { Texts } from "../translation.ts";

/** What messages say in French. */
export const fr: Texts = {
  locale: "fr",
  initialization: {
    subject: "Configurez votre compte",
    text: ({ name, organization, code, link, until }) => `Bonjour ${name},

un compte a été créé pour vous chez ${organization}.
Ouvrez ce lien pour le configurer :

${link}

Votre code est ${code}. Le lien et le code sont valables jusqu’au ${until} UTC.

Si vous n’attendiez pas ce message, vous n’avez rien à faire.
`,
  },
  email: {
    subject: "Vérifiez votre adresse e-mail",
    text: ({ name, organization, code, link, until }) => `Bonjour ${name},

ceci est désormais l’adresse e-mail de votre compte chez ${organization}.
Ouvrez ce lien pour la vérifier :

${link}

Votre code est ${code}. Le lien et le code sont valables jusqu’au ${until} UTC.

Si vous n’y avez pas de compte, n’ouvrez pas le lien : vous n’avez rien à faire.
`,
  },
  reset: {
    subject: "Choisissez un nouveau mot de passe",
    text: ({ name, organization, link, until }) => `Bonjour ${name},

quelqu’un, sans doute vous, a demandé un nouveau mot de passe pour votre compte chez
${organization}. Ouvrez ce lien pour en choisir un :

${link}

Il est valable une fois, jusqu’au ${until} UTC.
Toute personne connectée sous votre nom sera alors déconnectée.

Si ce n’était pas vous, vous n’avez rien à faire : votre mot de passe reste le même.
`,
  },
  passkey: {
    subject: "Créez une clé d’accès",
    text: ({ name, organization, link, until }) => `Bonjour ${name},

ce lien vous permet de créer une clé d’accès pour votre compte chez ${organization}.
Ouvrez-le sur l’appareil avec lequel vous vous connectez :

${link}

Il est valable une fois, jusqu’au ${until} UTC.

Si vous n’attendiez pas ce message, n’ouvrez pas le lien : vous n’avez rien à faire.
`,
  },
  phone: {
    subject: "Votre code",
    text: (code) => `Votre code est ${code}. Ne le communiquez à personne.`,
  },
};
