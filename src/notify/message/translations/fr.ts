import type { Texts } from "../translation.ts";

/** What messages say in French. */
export const fr: Texts = {
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

cette adresse e-mail a été indiquée pour votre compte chez ${organization}.
Ouvrez ce lien pour la vérifier :

${link}

Votre code est ${code}. Le lien et le code sont valables jusqu’au ${until} UTC.

Si vous n’y avez pas de compte, n’ouvrez pas le lien : vous n’avez rien à faire.
`,
  },
  emailRequest: {
    subject: "Confirmez votre nouvelle adresse e-mail",
    text: ({ name, organization, code, link, until }) => `Bonjour ${name},

quelqu’un, sans doute vous, souhaite utiliser cette adresse e-mail pour un compte chez
${organization}. Ouvrez ce lien pour la confirmer :

${link}

Votre code est ${code}. Le lien et le code sont valables jusqu’au ${until} UTC.

Si ce n’était pas vous, n’ouvrez pas le lien : vous n’avez rien à faire.
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
  registration: {
    subject: "Votre code pour créer un compte",
    text: ({ organization, code, until }) => `Bonjour,

quelqu’un, sans doute vous, souhaite créer un compte chez ${organization} avec
cette adresse e-mail. Pour la confirmer, saisissez ce code sur la page où vous
avez commencé :

${code}

Le code est valable jusqu’au ${until} UTC. Ne le communiquez à personne.

Si ce n’était pas vous, vous n’avez rien à faire : sans le code, aucun compte n’est créé.
`,
  },
  registered: {
    subject: "Vous avez déjà un compte",
    text: ({ organization, link }) => `Bonjour,

quelqu’un, sans doute vous, a voulu créer un compte chez ${organization} avec
cette adresse e-mail. Il en existe déjà un ; rien n’a donc été modifié.
Connectez-vous avec cette adresse e-mail :

${link}

Si vous avez oublié votre mot de passe, choisissez « Mot de passe oublié ? » sur la
page de connexion. Si vous ne pouvez pas vous connecter, adressez-vous à votre administrateur.

Si ce n’était pas vous, vous n’avez rien à faire.
`,
    button: "Se connecter",
  },
  notice: {
    greet: (name) => `Bonjour ${name},`,
    ifNotYou: `Si ce n’était pas vous, choisissez un nouveau mot de passe sur cette page
et prévenez votre administrateur :`,
    withdraw: `D’ici là, vous pouvez retirer la demande sur cette page.
Si elle ne vient pas de vous, choisissez-y aussi un nouveau mot de passe
et prévenez votre administrateur :`,
    button: "Ouvrir votre compte",
    about: {
      "password.changed": {
        subject: "Votre mot de passe a été modifié",
        text: ({ organization, time }) =>
          `le mot de passe de votre compte chez ${organization} a été modifié le
${time} UTC.`,
      },
      "email.requested": {
        subject: "Une autre adresse e-mail a été demandée",
        text: ({ organization, time }) =>
          `une autre adresse e-mail a été demandée pour votre compte chez ${organization} le
${time} UTC. Tant qu’elle n’est pas confirmée, cette adresse reste valable.`,
      },
      "email.changed": {
        subject: "Votre adresse e-mail a été modifiée",
        text: ({ organization, time }) =>
          `l’adresse e-mail de votre compte chez ${organization} a été modifiée le
${time} UTC.`,
      },
      "phone.changed": {
        subject: "Votre numéro de téléphone a été modifié",
        text: ({ organization, time }) =>
          `le numéro de téléphone de votre compte chez ${organization} a été modifié le
${time} UTC.`,
      },
      "phone.removed": {
        subject: "Votre numéro de téléphone a été supprimé",
        text: ({ organization, time }) =>
          `le numéro de téléphone de votre compte chez ${organization} a été supprimé le
${time} UTC.`,
      },
      "passkey.added": {
        subject: "Une clé d’accès a été ajoutée",
        text: ({ organization, time }) =>
          `une clé d’accès a été ajoutée à votre compte chez ${organization} le
${time} UTC.`,
      },
      "passkey.removed": {
        subject: "Une clé d’accès a été supprimée",
        text: ({ organization, time }) =>
          `une clé d’accès a été supprimée de votre compte chez ${organization} le
${time} UTC.`,
      },
      "externalidp.added": {
        subject: "Un autre compte a été associé",
        text: ({ organization, time }) =>
          `un compte d’un autre fournisseur a été associé à votre compte chez ${organization} le
${time} UTC. Vous pouvez désormais vous connecter avec lui.`,
      },
      "externalidp.removed": {
        subject: "Un compte associé a été retiré",
        text: ({ organization, time }) =>
          `un compte d’un autre fournisseur a été dissocié de votre compte chez ${organization} le
${time} UTC. Vous ne pouvez plus vous connecter avec lui.`,
      },
      "otp.added": {
        subject: "Une application d’authentification a été ajoutée",
        text: ({ organization, time }) =>
          `une application d’authentification a été ajoutée à votre compte chez ${organization} le
${time} UTC.`,
      },
      "otp.removed": {
        subject: "Votre application d’authentification a été supprimée",
        text: ({ organization, time }) =>
          `l’application d’authentification a été supprimée de votre compte chez ${organization} le
${time} UTC.`,
      },
      "recovery_codes.added": {
        subject: "Vous avez de nouveaux codes de récupération",
        text: ({ organization, time }) =>
          `de nouveaux codes de récupération ont été créés pour votre compte chez ${organization} le
${time} UTC. Les codes précédents ne sont plus valables.`,
      },
      "recovery_code.used": {
        subject: "Un code de récupération a été utilisé",
        text: ({ organization, time }) =>
          `un code de récupération a servi à se connecter à votre compte chez ${organization} le
${time} UTC. Il n’est plus valable.`,
      },
      "erasure.requested": {
        subject: "Votre compte va être effacé",
        text: ({ organization, time, due }) =>
          `l’effacement de votre compte chez ${organization} a été demandé le
${time} UTC. Le compte sera effacé le ${due} UTC.`,
      },
      "erasure.withdrawn": {
        subject: "Votre compte ne sera pas effacé",
        text: ({ organization, time }) =>
          `la demande d’effacement de votre compte chez ${organization} a été retirée le
${time} UTC. Votre compte est conservé.`,
      },
      "erasure.due": {
        subject: "Votre compte sera bientôt effacé",
        text: ({ organization, due }) =>
          `l’effacement de votre compte chez ${organization} a été demandé.
Le compte sera effacé le ${due} UTC.`,
      },
    },
  },
  why: (organization) =>
    `Vous recevez cet e-mail parce que votre adresse a été indiquée pour un compte chez ${organization}.`,
  phone: {
    subject: "Votre code",
    text: (code, host) => `Votre code pour ${host} est ${code}. Ne le communiquez à personne.`,
  },
};
