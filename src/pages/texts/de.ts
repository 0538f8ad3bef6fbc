import type { Texts } from "../texts.ts";
import { account } from "./account/de.ts";
import { login } from "./login/de.ts";

export const de: Texts = {
  error: "Fehler",
  skip: "Zum Inhalt springen",
  languages: "Sprache",
  code: {
    label: "Code",
    hint: "Sechs Buchstaben und Ziffern. Groß- und Kleinschreibung und Leerzeichen spielen keine Rolle.",
    wrong: "Dieser Code ist nicht gültig. Bitte prüfen Sie ihn und versuchen Sie es noch einmal.",
  },
  initialization: {
    title: "Richten Sie Ihr Konto ein",
    askCode: "Geben Sie den Code aus der E-Mail ein, die Sie erhalten haben.",
    submitCode: "Weiter",
    wrongCodeHelp:
      "Bleibt es dabei, wurde der Code vielleicht schon benutzt, ist abgelaufen oder wurde zu oft falsch eingegeben. Bitten Sie dann die Person, die Ihr Konto angelegt hat, um eine neue E-Mail.",
    choosePassword: "Wählen Sie ein Passwort, dann ist Ihr Konto bereit.",
    keepPassword:
      "Bestätigen Sie, dass dieses Konto Ihnen gehört. Ihr Passwort bleibt, wie es ist.",
    submit: "Konto einrichten",
    submitKept: "Konto bestätigen",
  },
  password: {
    label: "Passwort",
    show: "Passwort anzeigen",
    rule: (min, max) =>
      `${min} bis ${max} Zeichen. Gut sind einige Wörter, die nur Sie so zusammenstellen.`,
    wrong: (min, max) => `Das Passwort muss ${min} bis ${max} Zeichen haben.`,
    common: "Wählen Sie ein anderes Passwort: Dieses ist Ihr Name oder eines, das viele haben.",
    tooShort: (min) => `Noch zu kurz: mindestens ${min} Zeichen.`,
    tooLong: (max) => `Zu lang: höchstens ${max} Zeichen.`,
    longEnough: "Lang genug. Häufige Passwörter werden abgelehnt.",
  },
  login,
  account,
  owner: {
    title: "Eigentümerin oder Eigentümer werden",
    explanation:
      "Wem Sie dieses Konto geben, dem gehört die ganze Instanz: alle Organisationen, Personen und Anwendungen.",
    userName: "Benutzername",
    email: "E-Mail-Adresse",
    emailHint: "Prüfen Sie sie gut: Wer dort Post liest, kann ein neues Passwort für Sie wählen.",
    firstName: "Vorname",
    lastName: "Nachname",
    submit: "Konto anlegen",
    taken:
      "Diesen Benutzernamen oder einen, der so aussieht, gibt es schon. Wählen Sie einen anderen.",
    invalidName: (max) => `Geben Sie hier eine Zeile mit 1 bis ${max} Zeichen ein.`,
    invalidEmail: "Geben Sie eine einzige E-Mail-Adresse ein, zum Beispiel ada@example.com.",
  },
  passkey: {
    title: "Passkey erstellen",
    explanation:
      "Mit einem Passkey melden Sie sich per Fingerabdruck, Gesicht oder PIN Ihres Geräts an, ganz ohne Passwort. Fingerabdruck und Gesicht verlassen Ihr Gerät nie.",
    name: "Name des Passkeys (freiwillig)",
    nameHint: "Damit Sie ihn später wiedererkennen, zum Beispiel „Mein Handy“.",
    submit: "Passkey erstellen",
    waiting: "Bitte folgen Sie den Anweisungen Ihres Geräts.",
    needsScript:
      "Ein Passkey lässt sich nur mit JavaScript erstellen. Bitte schalten Sie es für diese Seite ein, oder öffnen Sie den Link in einem anderen Browser.",
    problems: {
      cancelled:
        "Es wurde kein Passkey erstellt: Der Vorgang wurde abgebrochen oder hat zu lange gedauert. Bitte versuchen Sie es noch einmal.",
      known:
        "Auf diesem Gerät gibt es für dieses Konto schon einen Passkey. Sie brauchen keinen weiteren.",
      address:
        "Unter dieser Adresse lassen sich keine Passkeys erstellen. Bitte öffnen Sie den Link genau so, wie Sie ihn erhalten haben; hilft das nicht, wenden Sie sich an den Betreiber dieses Dienstes.",
      unsupported:
        "Dieser Browser oder dieses Gerät kann keine Passkeys erstellen. Bitte öffnen Sie den Link auf einem anderen.",
      code: "Dieser Link gilt nicht mehr: Er wurde schon benutzt oder ist abgelaufen. Bitten Sie die Person, von der Sie ihn haben, um einen neuen.",
      invalid: "Der Passkey wurde nicht angenommen. Bitte versuchen Sie es noch einmal.",
      failed:
        "Das hat nicht geklappt. Bitte prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.",
    },
  },
  phone: {
    title: "Bestätigen Sie Ihre Telefonnummer",
    askCode: "Geben Sie den Code aus der SMS ein, die Sie erhalten haben.",
    submit: "Bestätigen",
    wrongCodeHelp:
      "Bleibt es dabei, wurde der Code vielleicht schon benutzt, ist abgelaufen oder wurde zu oft falsch eingegeben. Bitten Sie dann die Person, die Ihr Konto angelegt hat, um einen neuen Code.",
  },
  email: {
    title: "Bestätigen Sie Ihre E-Mail-Adresse",
    ask: "Bestätigen Sie, dass Sie die E-Mail mit diesem Link erhalten haben und dass das Konto darin Ihres ist.",
    askCode: "Geben Sie den Code aus der E-Mail ein, die Sie erhalten haben.",
    submit: "Bestätigen",
    wrongCodeHelp:
      "Bleibt es dabei, wurde der Code vielleicht schon benutzt, ist abgelaufen oder wurde zu oft falsch eingegeben. Bitten Sie dann die Person, die Ihr Konto verwaltet, um eine neue E-Mail.",
  },
  done: {
    account: {
      title: "Ihr Konto ist bereit",
      paragraphs: ["Alles ist eingerichtet."],
    },
    passkey: {
      title: "Ihr Passkey ist bereit",
      paragraphs: ["Er gehört jetzt zu Ihrem Konto. Sie können diese Seite schließen."],
    },
    phone: {
      title: "Ihre Telefonnummer ist bestätigt",
      paragraphs: ["Vielen Dank. Sie können diese Seite schließen."],
    },
    email: {
      title: "Ihre E-Mail-Adresse ist bestätigt",
      paragraphs: ["Vielen Dank. Sie können diese Seite schließen."],
    },
    owner: {
      title: "Die Instanz gehört jetzt Ihnen",
      paragraphs: ["Melden Sie sich mit Benutzername und Passwort an."],
    },
    something: { title: "Fertig", paragraphs: ["Sie können diese Seite schließen."] },
    phoneLeft:
      "Ihre Telefonnummer ist noch nicht bestätigt. Den Code dafür haben Sie als SMS erhalten.",
    verifyPhone: "Telefonnummer bestätigen",
  },
  home: {
    title: "Identitäten und Zugriffsrechte",
    link: "Zur Startseite",
    about:
      "Hier melden Sie sich bei den Anwendungen Ihrer Organisation an und sehen und ändern Ihr Konto.",
    people:
      "Wurden Sie hierher geschickt, um Ihr Konto einzurichten? Öffnen Sie dann den ganzen Link, so wie Sie ihn erhalten haben.",
  },
  overLink: {
    title: "Dieser Link gilt nicht mehr",
    reasons: {
      code: [
        "Er wurde schon benutzt, ist abgelaufen, oder es wurde zu oft ein falscher Code eingegeben.",
        "Wenn Ihr Konto eingerichtet ist, brauchen Sie nichts mehr zu tun. Bitten Sie sonst die Person, die Ihr Konto angelegt hat, um eine neue E-Mail.",
      ],
      passkeyCode: [
        "Er wurde schon benutzt, ist abgelaufen oder wurde zu oft mit einem falschen Code geöffnet.",
        "Wenn Sie Ihren Passkey erstellt haben, brauchen Sie nichts mehr zu tun. Bitten Sie sonst die Person, von der Sie den Link haben, um einen neuen.",
      ],
      emailCode: [
        "Er wurde schon benutzt, ist abgelaufen, es gibt eine neuere E-Mail, oder es wurde zu oft ein falscher Code eingegeben.",
        "Wenn Ihre E-Mail-Adresse bestätigt ist, brauchen Sie nichts mehr zu tun. Bitten Sie sonst die Person, die Ihr Konto verwaltet, um eine neue E-Mail.",
      ],
      resetCode: [
        "Er wurde schon benutzt, ist älter als eine Stunde, oder es wurde eine neuere E-Mail gesendet.",
        "Gehen Sie zurück zur Anwendung und verlangen Sie auf der Seite, auf der Sie sich anmelden, eine andere E-Mail.",
      ],
      ownerLink: [
        "Er wurde schon benutzt, ist älter als ein Tag, oder es gibt einen neueren.",
        "Wer diesen Dienst betreibt, legt mit dem Befehl owner-link einen anderen an.",
      ],
    },
  },
  problems: {
    link: {
      title: "Dieser Link ist nicht vollständig",
      paragraphs: [
        "Ein Teil des Links fehlt oder wurde unterwegs verändert. Bitte öffnen Sie ihn noch einmal aus Ihrer E-Mail, oder kopieren Sie ihn ganz in die Adresszeile.",
      ],
    },
    missing: {
      title: "Diese Seite gibt es nicht",
      paragraphs: [
        "Bitte prüfen Sie die Adresse, oder öffnen Sie den Link noch einmal aus Ihrer E-Mail.",
      ],
    },
    form: {
      title: "Das hat nicht geklappt",
      paragraphs: [
        "Was Ihr Browser gesendet hat, war nicht zu verstehen. Bitte gehen Sie eine Seite zurück und versuchen Sie es noch einmal.",
      ],
    },
    later: {
      title: "Bitte versuchen Sie es gleich noch einmal",
      paragraphs: [
        "Der Dienst kann gerade nicht antworten. Es ist nichts verloren: Gehen Sie eine Seite zurück und versuchen Sie es noch einmal.",
      ],
    },
    fault: {
      title: "Etwas ist schiefgegangen",
      paragraphs: [
        "Das lag nicht an Ihnen. Bitte versuchen Sie es später noch einmal. Wenn es wieder geschieht, nennen Sie dem Betreiber dieses Dienstes die Anfrage-ID unten.",
      ],
    },
  },
  requestId: "Anfrage-ID",
};
