import type { Texts } from "../texts.ts";
import { account } from "./account/fr.ts";
import { login } from "./login/fr.ts";

export const fr: Texts = {
  error: "Erreur",
  skip: "Aller au contenu",
  languages: "Langue",
  code: {
    label: "Code",
    hint: "Six lettres et chiffres. Les majuscules, les minuscules et les espaces n’ont pas d’importance.",
    wrong: "Ce code n’est pas valable. Veuillez le vérifier et réessayer.",
  },
  initialization: {
    title: "Configurez votre compte",
    askCode: "Saisissez le code de l’e-mail que vous avez reçu.",
    submitCode: "Continuer",
    wrongCodeHelp:
      "Si cela persiste, le code a peut-être déjà été utilisé, a expiré ou a été saisi trop souvent de façon erronée. Demandez alors un nouvel e-mail à la personne qui a créé votre compte.",
    choosePassword: "Choisissez un mot de passe et votre compte sera prêt.",
    keepPassword: "Confirmez que ce compte est bien le vôtre. Votre mot de passe reste le même.",
    submit: "Configurer le compte",
    submitKept: "Confirmer le compte",
  },
  password: {
    label: "Mot de passe",
    show: "Afficher le mot de passe",
    rule: (min, max) =>
      `De ${min} à ${max} caractères. Quelques mots que personne d’autre n’associerait conviennent bien.`,
    wrong: (min, max) => `Le mot de passe doit comporter de ${min} à ${max} caractères.`,
    common:
      "Choisissez un autre mot de passe, car celui-ci est votre nom ou l’un de ceux que beaucoup utilisent.",
    tooShort: (min) => `Encore trop court, au moins ${min} caractères.`,
    tooLong: (max) => `Trop long, au plus ${max} caractères.`,
    longEnough: "Longueur suffisante. Les mots de passe courants sont refusés.",
  },
  login,
  account,
  owner: {
    title: "Devenir propriétaire",
    explanation:
      "Ce compte possède toute l’instance : les organisations, les personnes et les applications.",
    userName: "Nom d’utilisateur",
    email: "Adresse e-mail",
    emailHint:
      "Vérifiez-la bien : qui lit le courrier à cette adresse peut choisir un nouveau mot de passe pour vous.",
    firstName: "Prénom",
    lastName: "Nom",
    submit: "Devenir propriétaire",
    taken:
      "Ce nom d’utilisateur, ou un nom qui lui ressemble, existe déjà. Choisissez-en un autre.",
    invalidName: (max) => `Saisissez ici une ligne de 1 à ${max} caractères.`,
    invalidEmail: "Saisissez une seule adresse e-mail, par exemple ada@example.com.",
  },
  passkey: {
    title: "Créez une clé d’accès",
    explanation:
      "Avec une clé d’accès, vous vous connectez par empreinte digitale, par reconnaissance faciale ou avec le code PIN de votre appareil, sans mot de passe. Votre empreinte et votre visage ne quittent jamais l’appareil.",
    name: "Nom de la clé d’accès (facultatif)",
    nameHint: "Pour la reconnaître plus tard, par exemple « Mon téléphone ».",
    submit: "Créer la clé d’accès",
    waiting: "Veuillez suivre les instructions de votre appareil.",
    needsScript:
      "Une clé d’accès ne peut être créée qu’avec JavaScript. Veuillez l’activer pour cette page ou ouvrir le lien dans un autre navigateur.",
    problems: {
      cancelled:
        "Aucune clé d’accès n’a été créée, car l’opération a été annulée ou a duré trop longtemps. Veuillez réessayer.",
      known:
        "Il existe déjà une clé d’accès pour ce compte sur cet appareil. Vous n’en avez pas besoin d’une autre.",
      address:
        "Aucune clé d’accès ne peut être créée à cette adresse. Veuillez ouvrir le lien exactement comme vous l’avez reçu. Si cela ne suffit pas, prévenez la personne qui gère ce service.",
      unsupported:
        "Ce navigateur ou cet appareil ne peut pas créer de clé d’accès. Veuillez ouvrir le lien sur un autre.",
      code: "Ce lien n’est plus valable, car il a déjà été utilisé ou a expiré. Demandez-en un nouveau à la personne qui vous l’a envoyé.",
      invalid: "La clé d’accès n’a pas été acceptée. Veuillez réessayer.",
      failed: "Cela n’a pas fonctionné. Veuillez vérifier votre connexion et réessayer.",
    },
  },
  phone: {
    title: "Vérifiez votre numéro de téléphone",
    askCode: "Saisissez le code du SMS que vous avez reçu.",
    submit: "Vérifier",
    wrongCodeHelp:
      "Si cela persiste, le code a peut-être déjà été utilisé, a expiré ou a été saisi trop souvent de façon erronée. Demandez alors un nouveau code à la personne qui a créé votre compte.",
  },
  email: {
    title: "Vérifiez votre adresse e-mail",
    ask: "Confirmez que vous avez reçu l’e-mail contenant ce lien et que le compte qu’il indique est le vôtre.",
    askCode: "Saisissez le code de l’e-mail que vous avez reçu.",
    submit: "Vérifier",
    wrongCodeHelp:
      "Si cela persiste, le code a peut-être déjà été utilisé, a expiré ou a été saisi trop souvent de façon erronée. Demandez alors un nouvel e-mail à la personne qui gère votre compte.",
  },
  done: {
    account: {
      title: "Votre compte est prêt",
      paragraphs: ["Tout est configuré."],
    },
    passkey: {
      title: "Votre clé d’accès est prête",
      paragraphs: ["Elle est désormais associée à votre compte. Vous pouvez fermer cette page."],
    },
    phone: {
      title: "Votre numéro de téléphone est vérifié",
      paragraphs: ["Merci. Vous pouvez fermer cette page."],
    },
    email: {
      title: "Votre adresse e-mail est vérifiée",
      paragraphs: ["Merci. Vous pouvez fermer cette page."],
    },
    owner: {
      title: "L’instance est à vous",
      paragraphs: ["Connectez-vous avec votre nom d’utilisateur et votre mot de passe."],
    },
    something: { title: "C’est fait", paragraphs: ["Vous pouvez fermer cette page."] },
    phoneLeft:
      "Votre numéro de téléphone n’est pas encore vérifié. Le code vous a été envoyé par SMS.",
    verifyPhone: "Vérifier le numéro de téléphone",
  },
  home: {
    title: "Gestion des identités et des accès",
    link: "Aller à la page d’accueil",
    about:
      "Ici, vous vous connectez aux applications de votre organisation, et vous voyez et modifiez votre compte.",
    people:
      "Si l’on vous a envoyé ici pour configurer votre compte, ouvrez le lien en entier, tel que vous l’avez reçu.",
  },
  overLink: {
    title: "Ce lien n’est plus valable",
    reasons: {
      code: [
        "Il a déjà été utilisé, a expiré, ou un code erroné a été saisi trop souvent.",
        "Si votre compte est configuré, vous n’avez plus rien à faire. Sinon, demandez un nouvel e-mail à la personne qui a créé votre compte.",
      ],
      passkeyCode: [
        "Il a déjà été utilisé, a expiré, ou a été ouvert trop souvent avec un code erroné.",
        "Si vous avez créé votre clé d’accès, vous n’avez plus rien à faire. Sinon, demandez un nouveau lien à la personne qui vous l’a envoyé.",
      ],
      emailCode: [
        "Il a déjà été utilisé, a expiré, un e-mail plus récent a été envoyé, ou un code erroné a été saisi trop souvent.",
        "Si votre adresse e-mail est vérifiée, vous n’avez plus rien à faire. Sinon, demandez un nouvel e-mail à la personne qui gère votre compte.",
      ],
      resetCode: [
        "Il a déjà été utilisé, date de plus d’une heure, ou un e-mail plus récent a été envoyé.",
        "Retournez à l’application et demandez un autre e-mail sur la page de connexion.",
      ],
      ownerLink: [
        "Il a déjà été utilisé, date de plus d’un jour, ou il en existe un plus récent.",
        "La personne qui exploite ce service en crée un autre avec la commande owner-link.",
      ],
    },
  },
  problems: {
    link: {
      title: "Ce lien n’est pas complet",
      paragraphs: [
        "Une partie du lien manque ou a été modifiée en route. Veuillez l’ouvrir à nouveau depuis votre e-mail ou le copier en entier dans la barre d’adresse.",
      ],
    },
    missing: {
      title: "Cette page n’existe pas",
      paragraphs: ["Veuillez vérifier l’adresse ou ouvrir à nouveau le lien depuis votre e-mail."],
    },
    form: {
      title: "Cela n’a pas fonctionné",
      paragraphs: [
        "Ce que votre navigateur a envoyé n’a pas pu être compris. Veuillez revenir à la page précédente et réessayer.",
      ],
    },
    later: {
      title: "Veuillez réessayer dans un instant",
      paragraphs: [
        "Le service ne peut pas répondre pour le moment. Rien n’est perdu, revenez à la page précédente et réessayez.",
      ],
    },
    fault: {
      title: "Un problème est survenu",
      paragraphs: [
        "Vous n’y êtes pour rien. Veuillez réessayer plus tard. Si cela se reproduit, communiquez l’identifiant de la requête ci-dessous à la personne qui gère ce service.",
      ],
    },
  },
  requestId: "Identifiant de la requête",
};
