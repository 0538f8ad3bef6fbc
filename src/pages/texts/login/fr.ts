import type { LoginTexts } from "../../texts.ts";

export const login: LoginTexts = {
  title: "Se connecter",
  to: (application, organization) => `à ${application} de ${organization}`,
  userName: "Nom d’utilisateur ou adresse e-mail",
  submit: "Se connecter",
  wrong:
    "Le nom d’utilisateur ou le mot de passe est incorrect, ou il y a eu trop de tentatives. Veuillez vérifier les deux et réessayer ; après trop de tentatives, attendez un quart d’heure.",
  tooMany: "Il y a eu trop de tentatives depuis votre réseau. Veuillez attendre un quart d’heure.",
  cancel: "Annuler",
  otp: {
    title: "Saisir un code à usage unique",
    ask: "Ouvrez votre application d’authentification et saisissez le code affiché.",
    label: "Code à usage unique",
    hint: "Six chiffres.",
    wrong: "Ce code n’est pas valide ou a déjà été utilisé. Veuillez attendre le suivant.",
  },
  change: {
    title: "Choisir un nouveau mot de passe",
    ask: "Vous devez choisir un nouveau mot de passe avant de continuer.",
    label: "Nouveau mot de passe",
    submit: "Changer le mot de passe",
    same: "Choisissez un mot de passe que vous n’aviez pas encore.",
  },
  proceed: {
    title: "Continuer",
    ask: "Vous êtes connecté en tant que cette personne.",
    submit: "Continuer",
    other: "Se connecter avec un autre compte",
  },
  logout: {
    title: "Se déconnecter",
    ask: "Voulez-vous vous déconnecter ? Cela met fin à votre session dans ce navigateur, pour toutes les applications.",
    submit: "Se déconnecter",
    stay: "Rester connecté",
  },
  loggedOut: { title: "Vous êtes déconnecté", paragraphs: ["Vous pouvez fermer cette page."] },
  unready: {
    title: "Votre compte n’est pas encore configuré",
    paragraphs: [
      "Veuillez d’abord ouvrir le lien de l’e-mail que vous avez reçu et configurer votre compte. Si vous n’avez pas cet e-mail, adressez-vous à la personne qui a créé votre compte.",
    ],
  },
  expired: {
    title: "Cette connexion est terminée",
    paragraphs: [
      "Elle a duré trop longtemps, est déjà terminée ou a commencé dans un autre navigateur. Veuillez retourner à l’application et vous y connecter de nouveau.",
    ],
  },
  refused: {
    title: "L’application ne peut pas vous connecter ainsi",
    paragraphs: [
      "Ce n’est pas votre faute : la demande de l’application n’a pas été comprise ou n’est pas autorisée. Communiquez à ses responsables ce qui figure ci-dessous.",
    ],
  },
};
