import { html } from "../../../text/html.ts";
import type { LoginTexts } from "../../texts.ts";
import { external } from "../external/de.ts";

export const login: LoginTexts = {
  title: "Anmelden",
  to: (application, organization) => html`${application} von ${organization}`,
  toAccount: "Ihr Konto",
  again: "Bitte melden Sie sich noch einmal an, um das zu ändern.",
  userName: "Benutzername oder E-Mail-Adresse",
  submit: "Anmelden",
  wrong: "Benutzername oder Passwort ist falsch.",
  wrongHelp: "Nach zu vielen Versuchen warten Sie eine Viertelstunde.",
  tooMany: "Aus Ihrem Netz gab es zu viele Versuche. Bitte warten Sie eine Viertelstunde.",
  cancel: "Abbrechen",
  or: "oder",
  factors: {
    password: "Passwort",
    otp: "Einmalcode",
    passkey: "Passkey",
    recovery: "Wiederherstellungscode",
    external: "Konto anderswo",
  },
  passkey: {
    offer: "Mit einem Passkey anmelden",
    title: "Mit einem Passkey anmelden",
    ask: "Ihr Gerät fragt nach Ihrem Fingerabdruck, Ihrem Gesicht oder seiner PIN.",
    submit: "Noch einmal versuchen",
    other: "Mit einem Passwort anmelden",
    wrong:
      "Dieser Passkey wurde nicht angenommen. Bitte versuchen Sie es noch einmal, oder melden Sie sich mit Ihrem Passwort an.",
    needsScript:
      "Passkeys brauchen JavaScript. Bitte schalten Sie es für diese Seite ein, oder melden Sie sich mit Ihrem Passwort an.",
    problems: {
      cancelled:
        "Es wurde kein Passkey verwendet: Hier gibt es keinen für diesen Dienst, es wurde abgebrochen, oder es hat zu lange gedauert.",
      address:
        "An dieser Adresse können keine Passkeys verwendet werden. Bitte sagen Sie es den Betreibern dieses Dienstes.",
      unsupported:
        "Dieser Browser oder dieses Gerät kann keine Passkeys verwenden. Bitte melden Sie sich mit Ihrem Passwort an.",
      failed:
        "Das hat nicht geklappt. Bitte prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.",
    },
  },
  otp: {
    title: "Einmalcode eingeben",
    ask: "Öffnen Sie Ihre Authenticator-App und geben Sie den Code ein, den sie anzeigt.",
    label: "Einmalcode",
    hint: "Sechs Ziffern.",
    wrong:
      "Dieser Code ist nicht gültig oder wurde schon verwendet. Bitte warten Sie auf den nächsten.",
    tooManyInDay:
      "In diesem Browser gab es zu viele falsche Codes. Versuchen Sie es morgen oder in einem anderen Browser.",
  },
  recovery: {
    offer: "Wiederherstellungscode verwenden",
    title: "Wiederherstellungs\u00adcode eingeben",
    ask: "Geben Sie einen der Wiederherstellungscodes ein, die Sie gespeichert haben. Jeder gilt nur einmal.",
    label: "Wiederherstellungscode",
    hint: "16 Buchstaben und Ziffern. Leerzeichen, Bindestriche sowie Groß- und Kleinschreibung spielen keine Rolle.",
    wrong:
      "Dieser Code ist ungültig oder wurde bereits verwendet. Prüfen Sie Ihre Eingabe, oder geben Sie einen anderen Code ein.",
    other: "Einmalcode eingeben",
    none: {
      title: "Sie haben keine Wiederherstellungscodes",
      paragraphs: [
        "Es ist keiner mehr übrig, oder Sie haben nie welche erstellt. Bitten Sie die Person, die Ihr Konto verwaltet, Ihre Authenticator-App zu entfernen. Danach können Sie sich mit Ihrem Passwort anmelden und eine andere App einrichten.",
      ],
    },
  },
  setup: {
    title: "Authenticator-App einrichten",
    ask: "Die Organisation verlangt hier auch einen Einmalcode. Installieren Sie eine Authenticator-App auf Ihrem Telefon und richten Sie sie jetzt ein.",
    done: "Ihre Authenticator-App ist eingerichtet",
  },
  change: {
    title: "Neues Passwort wählen",
    ask: "Bevor es weitergeht, müssen Sie ein neues Passwort wählen.",
    label: "Neues Passwort",
    submit: "Passwort ändern",
    same: "Wählen Sie ein Passwort, das Sie noch nicht hatten.",
  },
  forgotten: {
    link: "Passwort vergessen?",
    title: "Passwort vergessen?",
    ask: "Geben Sie Ihren Benutzernamen oder Ihre E-Mail-Adresse ein. Sie erhalten eine E-Mail mit einem Link, über den Sie ein neues Passwort wählen.",
    submit: "E-Mail senden",
    back: "Zurück zur Anmeldung",
    tooMany: "Aus Ihrem Netz wurden zu viele E-Mails angefordert. Bitte warten Sie eine Stunde.",
    sent: {
      title: "Sehen Sie in Ihr Postfach",
      paragraphs: [
        "Wenn Sie hier ein Konto mit Passwort haben, ist eine E-Mail an Ihre Adresse unterwegs. Ihr Link gilt einmal, innerhalb einer Stunde; von mehreren E-Mails zählt nur die letzte.",
        "Es kommt nichts? Sehen Sie unter unerwünschter Post nach, und prüfen Sie Ihre Eingabe. Wenn Ihr Konto noch nicht eingerichtet ist, öffnen Sie die E-Mail, die Sie damals erhalten haben. Wenden Sie sich sonst an die Person, die Ihr Konto betreut.",
      ],
    },
    of: (person, organization) => html`${person} bei ${organization}`,
    choose: "Sie werden dabei auf allen Ihren Geräten abgemeldet.",
    changed: {
      title: "Ihr Passwort ist geändert",
      paragraphs: ["Melden Sie sich von jetzt an mit dem neuen an."],
    },
    elsewhere:
      "Gehen Sie zurück zu der Anwendung, die Sie nutzen möchten, und melden Sie sich dort an.",
  },
  external,
  register: {
    offer: "Konto anlegen",
    title: "Konto anlegen",
    emailHint: "Sie erhalten dort eine E-Mail mit einem Code.",
    domains: (domains) =>
      html`Sie erhalten dort eine E-Mail mit einem Code. Erlaubte Domains: ${domains}.`,
    wrongDomain: "Geben Sie eine Adresse einer der erlaubten Domains an.",
    tooMany: "Es wurden zu viele E-Mails angefordert. Bitte versuchen Sie es morgen noch einmal.",
    submit: "Weiter",
    code: {
      title: "Sehen Sie in Ihr Postfach",
      ask: (email) => html`Eine E-Mail an ${email} ist unterwegs.`,
      inMail:
        "Steht darin ein Code, geben Sie ihn hier ein. Steht darin, dass Sie schon ein Konto haben, melden Sie sich an.",
      help: "Nach fünf falschen Codes müssen Sie neu beginnen. Von mehreren E-Mails gilt nur die letzte.",
      again: "Neue E-Mail senden",
      other: "E-Mail-Adresse ändern",
    },
    way: {
      title: "Wählen Sie, wie Sie sich anmelden",
      ask: "Ihre E-Mail-Adresse ist bestätigt. Noch ein Schritt, dann ist Ihr Konto bereit.",
      address: "Ein Benutzername mit @ muss Ihre eigene E-Mail-Adresse sein.",
      submit: "Konto anlegen",
      passkey: "Stattdessen einen Passkey verwenden",
      other: "Zurück",
      needsScript: "Passkeys brauchen JavaScript. Bitte schalten Sie es für diese Seite ein.",
      unsupported: "Dieser Browser oder dieses Gerät kann keine Passkeys erstellen.",
    },
    held: {
      title: "Sie haben schon ein Konto",
      paragraphs: ["Es gibt ein Konto mit dieser E-Mail-Adresse. Melden Sie sich damit an."],
    },
    over: {
      title: "Dieser Code gilt nicht mehr",
      paragraphs: [
        "Er ist abgelaufen, oder es wurde zu oft ein falscher Code eingegeben. Es wurde kein Konto angelegt.",
      ],
    },
    beginAgain: "Neu beginnen",
  },
  proceed: {
    title: "Weiter",
    ask: "Sie sind als diese Person angemeldet.",
    away: "Die Anwendung darf auch dann nachsehen, wer Sie sind, wenn Sie nicht da sind.",
    submit: "Weiter",
    other: "Als jemand anderes anmelden",
  },
  consent: {
    title: "Zugriff erlauben",
    ask: (application, organization) =>
      html`${application} von ${organization} möchte für Sie handeln.`,
    site: "Es geht weiter zu",
    you: "Sie sind angemeldet als",
    list: "Wenn Sie es erlauben, kann die Anwendung:",
    identity: "wissen, wer Sie sind",
    grants: {
      api: "in diesem Dienst in Ihrem Namen alles sehen, ändern und löschen, was Sie selbst sehen, ändern und löschen können",
      profile: "Ihren Namen, Ihre Sprache und Ihr Geschlecht sehen",
      email: "Ihre E-Mail-Adresse sehen",
      phone: "Ihre Telefonnummer sehen",
      away: "das auch dann tun, wenn Sie nicht da sind",
    },
    trust: "Erlauben Sie es nur, wenn Sie die Anwendung kennen und ihren Betreibern vertrauen.",
    submit: "Erlauben",
    deny: "Nicht erlauben",
  },
  device: {
    title: "Gerät verbinden",
    enter:
      "Geben Sie den Code ein, den Ihr Gerät anzeigt. Geben Sie niemals einen Code ein, den Ihnen jemand geschickt hat.",
    label: "Code auf dem Gerät",
    hint: "Acht Buchstaben. Bindestriche sowie Groß- und Kleinschreibung spielen keine Rolle.",
    wrong:
      "Dieser Code ist nicht gültig, abgelaufen oder wurde schon verwendet. Bitte prüfen Sie, was Ihr Gerät anzeigt.",
    submit: "Weiter",
    consent: {
      title: "Auf dem anderen Gerät anmelden?",
      ask: (application, organization) =>
        html`${application} von ${organization} möchte Sie auf einem anderen Gerät anmelden.`,
      trust:
        "Erlauben Sie es nur, wenn Sie es selbst begonnen haben, auf einem Gerät, das vor Ihnen steht. Hat Ihnen jemand den Code oder einen Link geschickt, erlauben Sie es nicht.",
    },
    allowed: {
      title: "Ihr Gerät ist verbunden",
      paragraphs: [
        "Kehren Sie zu Ihrem Gerät zurück. Dort geht es in wenigen Sekunden von selbst weiter. Sie können diese Seite schließen.",
      ],
    },
    denied: {
      title: "Ihr Gerät ist nicht verbunden",
      paragraphs: [
        "Sie haben es nicht erlaubt, oder Sie dürfen diese App nicht verwenden. Sie können diese Seite schließen.",
      ],
    },
    over: {
      title: "Dieser Code gilt nicht mehr",
      paragraphs: [
        "Er ist abgelaufen oder wurde schon verwendet. Fordern Sie auf Ihrem Gerät einen neuen Code an.",
      ],
    },
    again: "Einen anderen Code eingeben",
  },
  logout: {
    title: "Abmelden",
    ask: "Möchten Sie sich abmelden? Das beendet Ihre Sitzung in diesem Browser für alle Anwendungen.",
    submit: "Abmelden",
    stay: "Angemeldet bleiben",
    refused: "Die Anwendung kann Sie so nicht abmelden",
  },
  onward: {
    title: "Einen Moment, bitte",
    ask: "Sie werden weitergeleitet. Wenn nichts geschieht, wählen Sie „Weiter“.",
    submit: "Weiter",
  },
  loggedOut: { title: "Sie sind abgemeldet", paragraphs: ["Sie können diese Seite schließen."] },
  unready: {
    title: "Ihr Konto ist noch nicht eingerichtet",
    paragraphs: [
      "Bitte öffnen Sie den Link in der E-Mail, die Sie erhalten haben, und richten Sie zuerst Ihr Konto ein. Wenn Sie keine solche E-Mail haben, fragen Sie, wer Ihr Konto angelegt hat.",
    ],
  },
  notAllowed: {
    title: "So können Sie sich nicht anmelden",
    paragraphs: [
      "Die Regeln einer Organisation lassen es nicht zu. Melden Sie sich anders an, zum Beispiel mit einem Passkey. Wenn Sie keinen anderen Weg haben, fragen Sie die Person, die Ihr Konto verwaltet.",
    ],
  },
  expired: {
    title: "Diese Anmeldung ist abgelaufen",
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
  refusedDetails: {
    uri: "Gesendete URI",
    clientId: "Client-ID",
    register: (list, operation) =>
      `Die Anwendung hat keine solche URI; verglichen wird Zeichen für Zeichen. Um sie einzutragen, ergänzen Sie ${list} mit ${operation}.`,
  },
};
