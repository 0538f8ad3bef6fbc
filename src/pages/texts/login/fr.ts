import { html } from "../../../text/html.ts";
import type { LoginTexts } from "../../texts.ts";
import { external } from "../external/fr.ts";

export const login: LoginTexts = {
  title: "Se connecter",
  to: (application, organization) => html`${application} de ${organization}`,
  toAccount: "Votre compte",
  again: "Veuillez vous reconnecter pour modifier cela.",
  userName: "Nom d’utilisateur ou adresse e-mail",
  submit: "Se connecter",
  wrong: "Nom d’utilisateur ou mot de passe incorrect.",
  wrongHelp: "Après trop de tentatives, attendez un quart d’heure.",
  tooMany: "Il y a eu trop de tentatives depuis votre réseau. Veuillez attendre un quart d’heure.",
  cancel: "Annuler",
  or: "ou",
  factors: {
    password: "mot de passe",
    otp: "code à usage unique",
    passkey: "clé d’accès",
    recovery: "code de secours",
    external: "compte externe",
  },
  passkey: {
    offer: "Se connecter avec une clé d’accès",
    title: "Se connecter avec une clé d’accès",
    ask: "Votre appareil demande votre empreinte digitale, votre visage ou son code PIN.",
    submit: "Réessayer",
    other: "Se connecter avec un mot de passe",
    wrong:
      "Cette clé d’accès n’a pas été acceptée. Veuillez réessayer ou vous connecter avec votre mot de passe.",
    needsScript:
      "Les clés d’accès ont besoin de JavaScript. Veuillez l’activer pour cette page ou vous connecter avec votre mot de passe.",
    problems: {
      cancelled:
        "Aucune clé d’accès n’a été utilisée : il n’y en a pas ici pour ce service, l’opération a été annulée ou elle a pris trop de temps.",
      address:
        "Les clés d’accès ne peuvent pas être utilisées à cette adresse. Veuillez le signaler aux responsables de ce service.",
      unsupported:
        "Ce navigateur ou cet appareil ne peut pas utiliser de clés d’accès. Veuillez vous connecter avec votre mot de passe.",
      failed: "Cela n’a pas fonctionné. Veuillez vérifier votre connexion et réessayer.",
    },
  },
  otp: {
    title: "Saisir un code à usage unique",
    ask: "Ouvrez votre application d’authentification et saisissez le code affiché.",
    label: "Code à usage unique",
    hint: "Six chiffres.",
    wrong: "Ce code n’est pas valide ou a déjà été utilisé. Veuillez attendre le suivant.",
    tooManyInDay:
      "Il y a eu trop de codes erronés dans ce navigateur. Réessayez demain ou dans un autre navigateur.",
  },
  recovery: {
    offer: "Utiliser un code de secours",
    title: "Saisissez un code de secours",
    ask: "Saisissez l’un des codes de secours que vous avez conservés. Chacun ne sert qu’une fois.",
    label: "Code de secours",
    hint: "16 lettres et chiffres. Les espaces, les tirets et les majuscules ne comptent pas.",
    wrong:
      "Ce code n’est pas valable ou a déjà été utilisé. Vérifiez votre saisie ou entrez un autre code.",
    other: "Saisir un code à usage unique",
    none: {
      title: "Vous n’avez pas de code de secours",
      paragraphs: [
        "Il n’en reste aucun, ou vous n’en avez jamais créé. Demandez à la personne qui gère votre compte de supprimer votre application d’authentification. Vous pourrez alors vous connecter avec votre mot de passe et configurer une autre application.",
      ],
    },
  },
  setup: {
    title: "Configurez une application d’authentification",
    ask: "L’organisation demande aussi un code à usage unique. Installez une application d’authentification sur votre téléphone et configurez-la maintenant.",
    done: "Votre application d’authentification est configurée",
  },
  change: {
    title: "Choisir un nouveau mot de passe",
    ask: "Vous devez choisir un nouveau mot de passe avant de continuer.",
    label: "Nouveau mot de passe",
    submit: "Changer le mot de passe",
    same: "Choisissez un mot de passe que vous n’aviez pas encore.",
  },
  forgotten: {
    link: "Mot de passe oublié ?",
    title: "Mot de passe oublié ?",
    ask: "Dites qui vous êtes. Vous recevrez un e-mail avec un lien pour choisir un autre mot de passe.",
    submit: "Envoyer l’e-mail",
    back: "Retour à la connexion",
    tooMany: "Trop d’e-mails ont été demandés depuis votre réseau. Veuillez attendre une heure.",
    sent: {
      title: "Consultez votre messagerie",
      paragraphs: [
        "Si vous avez ici un compte avec un mot de passe, un e-mail part vers votre adresse. Son lien est valable une fois, pendant une heure ; de plusieurs e-mails, seul le dernier compte.",
        "Rien n’arrive ? Regardez parmi les indésirables et vérifiez votre saisie. Si votre compte n’est pas encore configuré, ouvrez l’e-mail que vous avez reçu à l’époque. Sinon, demandez à la personne qui s’occupe de votre compte.",
      ],
    },
    of: (person, organization) => html`${person} chez ${organization}`,
    choose:
      "Toute personne connectée sous votre nom, sur quelque appareil que ce soit, sera alors déconnectée.",
    changed: {
      title: "Votre mot de passe est changé",
      paragraphs: ["Connectez-vous désormais avec le nouveau."],
    },
    elsewhere:
      "Retournez à l’application que vous voulez utiliser et connectez-vous à partir de là.",
  },
  external,
  register: {
    offer: "Créer un compte",
    title: "Créer un compte",
    emailHint: "Vous y recevrez un e-mail avec un code.",
    domains: (domains) =>
      html`Vous y recevrez un e-mail avec un code. Domaines autorisés : ${domains}.`,
    wrongDomain: "Saisissez une adresse de l’un des domaines autorisés.",
    tooMany: "Trop d’e-mails ont été demandés. Veuillez réessayer demain.",
    submit: "Continuer",
    code: {
      title: "Consultez votre messagerie",
      ask: (email) => html`Un e-mail vient d’être envoyé à ${email}.`,
      inMail:
        "S’il contient un code, saisissez-le ici. S’il indique que vous avez déjà un compte, connectez-vous.",
      help: "Après cinq codes erronés, vous devez recommencer. De plusieurs e-mails, seul le dernier compte.",
      again: "Envoyer un autre e-mail",
      other: "Modifier l’adresse e-mail",
    },
    way: {
      title: "Choisissez comment vous connecter",
      ask: "Votre adresse e-mail est confirmée. Encore une étape et votre compte sera prêt.",
      address: "Un nom d’utilisateur contenant @ doit être votre propre adresse e-mail.",
      submit: "Créer le compte",
      passkey: "Utiliser plutôt une clé d’accès",
      other: "Retour",
      needsScript: "Les clés d’accès nécessitent JavaScript. Veuillez l’activer pour cette page.",
      unsupported: "Ce navigateur ou cet appareil ne peut pas créer de clés d’accès.",
    },
    held: {
      title: "Vous avez déjà un compte",
      paragraphs: ["Il existe un compte avec cette adresse e-mail. Connectez-vous avec elle."],
    },
    over: {
      title: "Ce code n’est plus valable",
      paragraphs: [
        "Il a expiré, ou un code erroné a été saisi trop souvent. Aucun compte n’a été créé.",
      ],
    },
    beginAgain: "Recommencer",
  },
  proceed: {
    title: "Continuer",
    ask: "Vous êtes connecté en tant que cette personne.",
    away: "L’application pourra aussi consulter qui vous êtes en votre absence.",
    submit: "Continuer",
    other: "Se connecter avec un autre compte",
  },
  consent: {
    title: "Autoriser l’accès",
    ask: (application, organization) =>
      html`${application} de ${organization} souhaite agir pour vous.`,
    site: "Vous serez dirigé vers",
    you: "Vous êtes connecté en tant que",
    list: "Si vous l’autorisez, l’application pourra :",
    identity: "savoir qui vous êtes",
    grants: {
      api: "voir, modifier et supprimer dans ce service, en votre nom, tout ce que vous pouvez voir, modifier et supprimer vous-même",
      profile: "voir votre nom, votre langue et votre genre",
      email: "voir votre adresse e-mail",
      phone: "voir votre numéro de téléphone",
      away: "le faire aussi en votre absence",
    },
    trust:
      "Ne l’autorisez que si vous connaissez l’application et faites confiance à ses responsables.",
    submit: "Autoriser",
    deny: "Ne pas autoriser",
  },
  device: {
    title: "Connecter un appareil",
    enter:
      "Saisissez le code affiché par votre appareil. Ne saisissez jamais un code que quelqu’un vous a envoyé.",
    label: "Code sur l’appareil",
    hint: "Huit lettres. Les tirets et les majuscules ne comptent pas.",
    wrong:
      "Ce code n’est pas valide, a expiré ou a déjà été utilisé. Vérifiez ce que votre appareil affiche.",
    submit: "Continuer",
    consent: {
      title: "Se connecter sur l’autre appareil ?",
      ask: (application, organization) =>
        html`${application} de ${organization} souhaite vous connecter sur un autre appareil.`,
      trust:
        "Ne l’autorisez que si vous avez commencé vous-même, sur un appareil que vous avez devant vous. Si quelqu’un vous a envoyé le code ou un lien, refusez.",
    },
    allowed: {
      title: "Votre appareil est connecté",
      paragraphs: [
        "Revenez à votre appareil. Il continue de lui-même dans quelques secondes. Vous pouvez fermer cette page.",
      ],
    },
    denied: {
      title: "Votre appareil n’est pas connecté",
      paragraphs: [
        "Vous ne l’avez pas autorisé, ou vous ne pouvez pas utiliser cette application. Vous pouvez fermer cette page.",
      ],
    },
    over: {
      title: "Ce code n’est plus valable",
      paragraphs: [
        "Il a expiré ou a déjà été utilisé. Demandez un nouveau code sur votre appareil.",
      ],
    },
    again: "Saisir un autre code",
  },
  logout: {
    title: "Se déconnecter",
    ask: "Voulez-vous vous déconnecter ? Cela met fin à votre session dans ce navigateur, pour toutes les applications.",
    submit: "Se déconnecter",
    stay: "Rester connecté",
    refused: "L’application ne peut pas vous déconnecter ainsi",
  },
  onward: {
    title: "Un instant, s’il vous plaît",
    ask: "Vous allez être redirigé. Si rien ne se passe, choisissez « Continuer ».",
    submit: "Continuer",
  },
  loggedOut: { title: "Vous êtes déconnecté", paragraphs: ["Vous pouvez fermer cette page."] },
  unready: {
    title: "Votre compte n’est pas encore configuré",
    paragraphs: [
      "Veuillez d’abord ouvrir le lien de l’e-mail que vous avez reçu et configurer votre compte. Si vous n’avez pas cet e-mail, adressez-vous à la personne qui a créé votre compte.",
    ],
  },
  notAllowed: {
    title: "Vous ne pouvez pas vous connecter ainsi",
    paragraphs: [
      "Les règles d’une organisation ne le permettent pas. Connectez-vous autrement, par exemple avec une clé d’accès. Si vous n’avez aucun autre moyen, adressez-vous à la personne qui gère votre compte.",
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
  refusedDetails: {
    uri: "URI envoyée",
    clientId: "Identifiant du client",
    register: (list, operation) =>
      `L’application n’a pas cette URI ; la comparaison se fait caractère par caractère. Pour l’enregistrer, ajoutez-la à ${list} avec ${operation}.`,
  },
};
