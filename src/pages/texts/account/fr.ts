import type { AccountTexts } from "../../account-texts.ts";

export const account: AccountTexts = {
  title: "Votre compte",
  navigation: "Votre compte",
  parts: {
    overview: "Aperçu",
    profile: "Nom et langue",
    password: "Mot de passe",
    email: "Adresse e-mail",
    phone: "Numéro de téléphone",
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
  tooOften: "Vous avez modifié ceci trop souvent aujourd’hui. Veuillez réessayer demain.",
  profile: {
    about:
      "C’est ainsi que les autres vous voient. Les e-mails arrivent dans la langue que vous choisissez ici.",
    nickName: "Surnom (facultatif)",
    displayName: "Nom que les autres voient (facultatif)",
    displayNameHint: "S’il est vide, les autres voient vos prénom et nom.",
    language: "Langue",
    noLanguage: "Aucun choix",
    gender: "Genre",
    genders: { UNSPECIFIED: "Non précisé", FEMALE: "Féminin", MALE: "Masculin", DIVERSE: "Autre" },
    submit: "Enregistrer",
    saved: "Vos modifications sont enregistrées.",
    invalidLine: (max) => `Saisissez ici une ligne de ${max} caractères au plus, ou rien.`,
    invalidLanguage: "Choisissez l’une de ces langues.",
  },
  password: {
    about: [
      "Saisissez votre mot de passe actuel et un nouveau. Vous restez connecté ici ; toutes vos autres sessions se ferment.",
    ],
    first:
      "Votre compte n’a pas encore de mot de passe. Avec un mot de passe, vous pouvez aussi vous connecter sans clé d’accès.",
    current: "Mot de passe actuel",
    wrong:
      "Le mot de passe actuel est incorrect, ou il y a eu trop de tentatives. Veuillez le vérifier ; après trop de tentatives, attendez un quart d’heure.",
    label: "Nouveau mot de passe",
    submit: "Modifier le mot de passe",
    submitFirst: "Définir le mot de passe",
    saved: "Votre mot de passe est modifié. Toutes vos autres sessions sont fermées.",
  },
  email: {
    about:
      "Nous envoyons un code à la nouvelle adresse. Tant que vous ne l’avez pas saisi, votre adresse reste la même. Ensuite, toutes vos autres sessions se ferment.",
    current: "Adresse actuelle",
    verified: "vérifiée",
    unverified: "non vérifiée",
    label: "Nouvelle adresse e-mail",
    submit: "Envoyer le code",
    same: "C’est déjà votre adresse.",
    requested: "Nouvelle adresse",
    askCode:
      "Saisissez le code de l’e-mail envoyé à la nouvelle adresse, ou ouvrez le lien qu’il contient.",
    verify: "Confirmer l’adresse",
    resend: "Envoyer un autre e-mail",
    withdraw: "Garder l’adresse actuelle",
    wrongCodeHelp:
      "Si cela persiste, le code a peut-être expiré ou a été saisi trop souvent de façon erronée. Envoyez alors un autre e-mail.",
  },
  phone: {
    about:
      "Nous envoyons un code au numéro par SMS. Un nouveau numéro remplace aussitôt le numéro actuel.",
    current: "Numéro actuel",
    none: "Aucun",
    verified: "vérifié",
    unverified: "non vérifié",
    label: "Nouveau numéro de téléphone",
    hint: "Avec l’indicatif du pays, par exemple +41 44 668 18 00.",
    submit: "Envoyer le code",
    invalid:
      "Saisissez un numéro de téléphone avec l’indicatif du pays, par exemple +41 44 668 18 00.",
    same: "C’est déjà votre numéro.",
    askCode: "Saisissez le code du SMS que vous avez reçu.",
    verify: "Confirmer le numéro",
    resend: "Envoyer un autre SMS",
    remove: "Supprimer le numéro",
    wrongCodeHelp:
      "Si cela persiste, le code a peut-être expiré ou a été saisi trop souvent de façon erronée. Envoyez alors un autre SMS.",
    tooSoon: "Un code vient d’être envoyé. Veuillez attendre une demi-minute.",
    tooMany: "Aucun autre SMS ne peut être envoyé aujourd’hui. Veuillez réessayer demain.",
  },
  sessions: {
    about:
      "Vous êtes connecté avec chacun de ces navigateurs. Si vous n’en reconnaissez pas un, fermez sa session et changez votre mot de passe sur la page « Mot de passe ».",
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
      "Avec une clé d’accès, vous vous connectez par empreinte digitale, par le visage ou avec le code PIN de votre appareil. Si vous perdez un appareil, retirez sa clé ici. Toutes vos autres sessions se ferment alors.",
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
    ends: "Si vous retirez l’application ou en configurez une autre, toutes vos autres sessions se ferment.",
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
      "Les mots de passe, les codes et les autres secrets ne sont pas dans le fichier. Gardez-le en lieu sûr : il parle de vous.",
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
