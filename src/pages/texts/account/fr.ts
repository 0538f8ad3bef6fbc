import type { AccountTexts } from "../../account-texts.ts";

export const account: AccountTexts = {
  title: "Votre compte",
  navigation: "Votre compte",
  parts: {
    overview: "Aperçu",
    sessions: "Où vous êtes connecté",
    data: "Vos données",
    erasure: "Effacer votre compte",
  },
  notLoggedIn: {
    title: "Vous n’êtes pas connecté",
    paragraphs: [
      "Personne ne s’est connecté avec ce navigateur. Connectez-vous pour voir et modifier votre compte.",
    ],
  },
  logIn: "Se connecter",
  open: "Ouvrir votre compte",
  overview: {
    userName: "Nom d’utilisateur",
    name: "Nom",
    email: "Adresse e-mail",
    unverified: "Votre adresse e-mail n’est pas vérifiée.",
    organization: "Organisation",
    erasing: (date) => `Votre compte sera effacé le ${date}.`,
  },
  sessions: {
    about:
      "Quiconque a l’un de ces navigateurs est connecté en votre nom. Si vous n’en reconnaissez pas un, fermez sa session et choisissez un autre mot de passe avec « Mot de passe oublié ? », là où vous vous connectez.",
    since: (time, factors) => `Depuis le ${time}, avec : ${factors}.`,
    used: (time) => `Dernière utilisation : ${time}.`,
    program: (browser, system) => `${browser} sous ${system}`,
    unknownProgram: "Un navigateur inconnu",
    network: (network) => `réseau ${network}`,
    factors: {
      password: "mot de passe",
      otp: "code à usage unique",
      passkey: "clé d’accès",
      recovery: "code de secours",
    },
    gone: "Une application qui n’existe plus",
    here: "Ce navigateur",
    endHere: "Se déconnecter ici",
    end: "Fermer cette session",
    endOthers: "Fermer toutes les autres sessions",
    consents: "Applications qui peuvent agir en votre nom",
    withdraw: "Ne plus l’autoriser",
  },
  data: {
    about: [
      "Vous pouvez télécharger tout ce que ce service conserve à votre sujet : votre compte, où vous êtes connecté et ce qui s’est passé, avec la date et le lieu.",
      "Les mots de passe, les codes et les clés ne sont pas dans le fichier. Gardez-le en lieu sûr : il parle de vous.",
    ],
    submit: "Télécharger vos données",
  },
  erasure: {
    about: [
      "Si vous le demandez, votre compte est effacé après 30 jours. D’ici là, vous pouvez changer d’avis ici.",
      "Ce jour-là, vous êtes déconnecté partout et tout ce qui est conservé à votre sujet est effacé. Personne ne peut le récupérer. Les applications que vous avez utilisées peuvent conserver leurs propres données.",
    ],
    holdsRoles:
      "Vous avez des rôles d’administration : votre compte ne peut pas être effacé. Demandez d’abord à un autre administrateur de retirer ces rôles.",
    submit: "Demander l’effacement du compte",
    requested: (date) => `Votre compte sera effacé le ${date}.`,
    withdrawable:
      "Vous pouvez annuler cette demande d’ici là. Vous recevrez encore un e-mail la veille.",
    withdraw: "Garder votre compte",
  },
};
