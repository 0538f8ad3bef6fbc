import { html } from "../../../text/html.ts";
import type { ExternalTexts } from "../../external-texts.ts";

export const external: ExternalTexts = {
  offer: (provider) => html`Continuer avec ${provider}`,
  google: "Se connecter avec Google",
  arrived: (account, provider) => html`Vous êtes connecté à ${provider} en tant que ${account}.`,
  choose: {
    title: "Aucun compte n’est encore associé",
    ask: "Si vous avez un compte ici, connectez-vous pour associer les deux. Sinon, créez un compte.",
    link: "J’ai un compte ici",
  },
  linking: (account, provider) =>
    html`Connectez-vous à votre compte ici. ${account} (${provider}) y sera alors associé.`,
  leave: "Ne pas associer",
  create: {
    title: "Complétez votre compte",
    ask: "Vérifiez vos informations. Votre compte sera ensuite prêt.",
  },
  problems: {
    denied: {
      title: "Vous n’avez pas été connecté",
      paragraphs: [
        "La connexion à l’autre service a été annulée. Réessayez ou connectez-vous autrement.",
      ],
    },
    unreachable: {
      title: "L’autre service ne répond pas",
      paragraphs: ["Patientez un instant et réessayez, ou connectez-vous autrement."],
    },
    unusable: {
      title: "Vous n’avez pas été connecté",
      paragraphs: [
        "L’autre service n’a pas confirmé votre identité. Réessayez ou connectez-vous autrement. Si cela se reproduit, contactez les responsables de ce service.",
      ],
    },
    stale: {
      title: "Vous n’avez pas été connecté",
      paragraphs: [
        "L’autre service n’indique pas qu’il vous a demandé de vous reconnecter, ce que cette connexion exige. Réessayez ou connectez-vous autrement.",
      ],
    },
    unknown: {
      title: "Aucun compte n’est associé",
      paragraphs: [
        "Aucun compte ici n’est associé à celui-ci, et vous ne pouvez pas en créer vous-même. Adressez-vous à la personne qui gère votre compte.",
      ],
    },
    unlinked: {
      title: "Le compte n’a pas été associé",
      paragraphs: [
        "Il appartient à quelqu’un d’autre, ou votre organisation ne le permet pas. Vous pouvez vous connecter sans lui.",
      ],
    },
    tooMany: {
      title: "Réessayez plus tard",
      paragraphs: [
        "Trop de comptes ont été créés depuis votre réseau. Attendez une heure, puis réessayez.",
      ],
    },
  },
  trial: {
    verified: "Adresse e-mail vérifiée",
    title: "Le fournisseur fonctionne",
    name: "Nom affiché",
    nothing: "C’était un essai. Personne n’a été connecté et rien n’a été enregistré.",
  },
  other: "Se connecter autrement",
};
