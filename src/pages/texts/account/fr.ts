import type { AccountTexts } from "../../account-texts.ts";

export const account: AccountTexts = {
  title: "Votre compte",
  navigation: "Votre compte",
  parts: {
    overview: "Aperçu",
    passkeys: "Clés d’accès",
    authenticator: "Application d’authentification",
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
  passkeys: {
    about:
      "Avec une clé d’accès, vous vous connectez par empreinte digitale, par le visage ou avec le code PIN de votre appareil. Si vous perdez un appareil, retirez sa clé ici : tout ce qui vient de vos connexions prend fin, sauf cette session.",
    add: "Ajouter une clé d’accès",
    unnamed: "Une clé d’accès sans nom",
    added: (time) => `Ajoutée le ${time}.`,
    used: (time) => `Utilisée pour la dernière fois le ${time}.`,
    remove: "Retirer la clé d’accès",
    only: "Cette clé d’accès est votre seul moyen de vous connecter : elle ne peut pas être retirée. Ajoutez-en d’abord une autre.",
    full: "Trop de clés d’accès ont été commencées sans être terminées. Réessayez dans une heure.",
  },
  authenticator: {
    about:
      "Une application d’authentification sur votre téléphone affiche un nouveau code toutes les 30 secondes. Il vous en faut alors un à chaque connexion avec mot de passe.",
    begin: "Configurer une application",
    hasOne: "Une application d’authentification est configurée.",
    codesLeft: (count) => `Codes de secours restants : ${count}.`,
    newCodes: "Obtenir de nouveaux codes de secours",
    another: "Configurer une autre application",
    remove: "Retirer l’application",
    scan: "Scannez ce code avec votre application d’authentification. Saisissez ensuite les six chiffres qu’elle affiche.",
    qr: "Code QR pour votre application d’authentification",
    byHand: "Ou saisissez cette clé dans l’application :",
    confirm: "Confirmer",
    wrong: "Ce code n’est pas valide. Saisissez celui que l’application affiche maintenant.",
    restart: "Recommencer avec une nouvelle clé",
    keep: "Voici vos codes de secours. Chacun vous permet d’entrer une fois sans l’application, avec votre mot de passe. Imprimez-les ou enregistrez-les maintenant : ils ne seront plus affichés, et les anciens ne sont plus valides.",
    kept: "Je les ai enregistrés",
    over: "La configuration a pris trop de temps, ou trop de codes étaient faux. Recommencez.",
    tooMany: "Vous l’avez fait trop souvent aujourd’hui. Réessayez demain.",
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
