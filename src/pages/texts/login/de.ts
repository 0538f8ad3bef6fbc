import type { LoginTexts } from "../../texts.ts";

export const login: LoginTexts = {
  title: "Anmelden",
  to: (application, organization) => `bei ${application} von ${organization}`,
  userName: "Benutzername oder E-Mail-Adresse",
  submit: "Anmelden",
  wrong:
    "Der Benutzername oder das Passwort ist falsch, oder es gab zu viele Versuche. Bitte prüfen Sie beides und versuchen Sie es noch einmal; nach zu vielen Versuchen warten Sie eine Viertelstunde.",
  tooMany: "Aus Ihrem Netz gab es zu viele Versuche. Bitte warten Sie eine Viertelstunde.",
  cancel: "Abbrechen",
  otp: {
    title: "Einmalcode eingeben",
    ask: "Öffnen Sie Ihre Authenticator-App und geben Sie den Code ein, den sie anzeigt.",
    label: "Einmalcode",
    hint: "Sechs Ziffern.",
    wrong:
      "Dieser Code ist nicht gültig oder wurde schon verwendet. Bitte warten Sie auf den nächsten.",
  },
  change: {
    title: "Neues Passwort wählen",
    ask: "Bevor es weitergeht, müssen Sie ein neues Passwort wählen.",
    label: "Neues Passwort",
    submit: "Passwort ändern",
    same: "Wählen Sie ein Passwort, das Sie noch nicht hatten.",
  },
  proceed: {
    title: "Weiter",
    ask: "Sie sind als diese Person angemeldet.",
    submit: "Weiter",
    other: "Als jemand anderes anmelden",
  },
  logout: {
    title: "Abmelden",
    ask: "Möchten Sie sich abmelden? Das beendet Ihre Sitzung in diesem Browser für alle Anwendungen.",
    submit: "Abmelden",
    stay: "Angemeldet bleiben",
  },
  loggedOut: { title: "Sie sind abgemeldet", paragraphs: ["Sie können diese Seite schließen."] },
  unready: {
    title: "Ihr Konto ist noch nicht eingerichtet",
    paragraphs: [
      "Bitte öffnen Sie den Link in der E-Mail, die Sie erhalten haben, und richten Sie zuerst Ihr Konto ein. Wenn Sie keine solche E-Mail haben, fragen Sie, wer Ihr Konto angelegt hat.",
    ],
  },
  expired: {
    title: "Diese Anmeldung ist vorbei",
    paragraphs: [
      "Sie hat zu lange gedauert, ist schon abgeschlossen oder begann in einem anderen Browser. Bitte gehen Sie zurück zur Anwendung und melden Sie sich dort noch einmal an.",
    ],
  },
  refused: {
    title: "Die Anwendung kann Sie so nicht anmelden",
    paragraphs: [
      "Es war nicht Ihr Fehler: Was die Anwendung verlangt hat, wurde nicht verstanden oder ist nicht erlaubt. Sagen Sie ihren Betreibern, was unten steht.",
    ],
  },
};
