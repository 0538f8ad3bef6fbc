import { html } from "../../../text/html.ts";
import type { ExternalTexts } from "../../external-texts.ts";

export const external: ExternalTexts = {
  offer: (provider) => html`Weiter mit ${provider}`,
  google: "Über Google anmelden",
  arrived: (account, provider) => html`Sie sind bei ${provider} als ${account} angemeldet.`,
  choose: {
    title: "Noch kein Konto ist verknüpft",
    ask: "Wenn Sie hier ein Konto haben, melden Sie sich damit an, um beide zu verknüpfen. Andernfalls legen Sie ein Konto an.",
    link: "Ich habe hier ein Konto",
  },
  linking: (account, provider) =>
    html`Melden Sie sich hier mit Ihrem Konto an. ${account} bei ${provider} wird damit verknüpft.`,
  leave: "Nicht verknüpfen",
  create: {
    title: "Konto vervollständigen",
    ask: "Prüfen Sie Ihre Angaben. Danach ist Ihr Konto bereit.",
  },
  problems: {
    denied: {
      title: "Sie wurden nicht angemeldet",
      paragraphs: [
        "Die Anmeldung beim anderen Dienst wurde abgebrochen. Versuchen Sie es erneut, oder melden Sie sich anders an.",
      ],
    },
    unreachable: {
      title: "Der andere Dienst antwortet nicht",
      paragraphs: ["Warten Sie kurz und versuchen Sie es erneut, oder melden Sie sich anders an."],
    },
    unusable: {
      title: "Sie wurden nicht angemeldet",
      paragraphs: [
        "Der andere Dienst hat nicht bestätigt, wer Sie sind. Versuchen Sie es erneut, oder melden Sie sich anders an. Wenn es wieder geschieht, wenden Sie sich an die Betreiber dieses Dienstes.",
      ],
    },
    stale: {
      title: "Sie wurden nicht angemeldet",
      paragraphs: [
        "Der andere Dienst sagt nicht, dass Sie sich dort neu angemeldet haben. Diese Anmeldung verlangt es. Versuchen Sie es erneut, oder melden Sie sich anders an.",
      ],
    },
    unknown: {
      title: "Kein Konto ist verknüpft",
      paragraphs: [
        "Mit diesem Konto ist hier keines verknüpft, und Sie können selbst keines anlegen. Wenden Sie sich an die Person, die Ihr Konto verwaltet.",
      ],
    },
    unlinked: {
      title: "Das Konto wurde nicht verknüpft",
      paragraphs: [
        "Es gehört jemand anderem, oder Ihre Organisation erlaubt es nicht. Sie können sich ohne es anmelden.",
      ],
    },
    tooMany: {
      title: "Versuchen Sie es später erneut",
      paragraphs: [
        "Aus Ihrem Netz wurden zu viele Konten angelegt. Warten Sie eine Stunde, und versuchen Sie es dann erneut.",
      ],
    },
  },
  trial: {
    verified: "Bestätigte E-Mail-Adresse",
    title: "Der Anbieter funktioniert",
    name: "Anzeigename",
    nothing: "Dies war ein Versuch. Niemand wurde angemeldet, und nichts wurde gespeichert.",
  },
  other: "Anders anmelden",
};
