import type { AccountTexts } from "../../account-texts.ts";

export const account: AccountTexts = {
  title: "Ihr Konto",
  navigation: "Ihr Konto",
  parts: {
    overview: "Übersicht",
    profile: "Name und Sprache",
    password: "Passwort",
    email: "E-Mail-Adresse",
    phone: "Telefonnummer",
    passkeys: "Passkeys verwalten",
    authenticator: "Authenticator-App",
    sessions: "Wo Sie angemeldet sind",
    data: "Ihre Daten",
    erasure: "Konto löschen",
  },
  notLoggedIn: {
    title: "Sie sind nicht angemeldet",
    paragraphs: [
      "Mit diesem Browser hat sich niemand angemeldet. Melden Sie sich an, um Ihr Konto zu sehen und zu ändern.",
    ],
  },
  logIn: "Anmelden",
  open: "Ihr Konto öffnen",
  overview: {
    userName: "Benutzername",
    name: "Ihr Name",
    email: "E-Mail-Adresse",
    unverified: "Ihre E-Mail-Adresse ist nicht bestätigt.",
    organization: "Organisation",
    erasing: (date) => `Ihr Konto wird am ${date} gelöscht.`,
  },
  tooOften: "Sie haben das heute zu oft geändert. Bitte versuchen Sie es morgen wieder.",
  profile: {
    about: "So sehen andere Sie. E-Mails kommen in der Sprache, die Sie hier wählen.",
    nickName: "Spitzname (freiwillig)",
    displayName: "Name, den andere sehen (freiwillig)",
    displayNameHint: "Ist er leer, sehen andere Ihren Vor- und Nachnamen.",
    language: "Sprache",
    noLanguage: "Keine Wahl",
    gender: "Geschlecht",
    genders: {
      UNSPECIFIED: "Keine Angabe",
      FEMALE: "Weiblich",
      MALE: "Männlich",
      DIVERSE: "Divers",
    },
    submit: "Speichern",
    saved: "Ihre Änderungen sind gespeichert.",
    invalidLine: (max) =>
      `Geben Sie hier eine Zeile mit höchstens ${max} Zeichen ein, oder nichts.`,
    invalidLanguage: "Wählen Sie eine dieser Sprachen.",
  },
  password: {
    about: [
      "Geben Sie Ihr jetziges Passwort und ein neues ein. Hier bleiben Sie angemeldet, überall sonst werden Sie abgemeldet.",
    ],
    first:
      "Ihr Konto hat noch kein Passwort. Mit einem können Sie sich auch ohne Passkey anmelden.",
    current: "Jetziges Passwort",
    wrong:
      "Das jetzige Passwort ist falsch, oder es gab zu viele Versuche. Bitte prüfen Sie es; nach zu vielen Versuchen warten Sie eine Viertelstunde.",
    label: "Neues Passwort",
    submit: "Passwort ändern",
    submitFirst: "Passwort setzen",
    saved: "Ihr Passwort ist geändert. Überall sonst sind Sie abgemeldet.",
  },
  email: {
    about:
      "Wir senden einen Code an die neue Adresse. Bis Sie ihn eingeben, bleibt Ihre Adresse, wie sie ist. Danach sind Sie überall sonst abgemeldet.",
    current: "Jetzige Adresse",
    verified: "bestätigt",
    unverified: "nicht bestätigt",
    label: "Neue E-Mail-Adresse",
    submit: "Code senden",
    same: "Das ist bereits Ihre Adresse.",
    requested: "Neue Adresse",
    askCode:
      "Geben Sie den Code aus der E-Mail an die neue Adresse ein, oder öffnen Sie den Link darin.",
    verify: "Adresse bestätigen",
    resend: "Noch eine E-Mail senden",
    withdraw: "Jetzige Adresse behalten",
    wrongCodeHelp:
      "Bleibt es dabei, ist der Code vielleicht abgelaufen oder wurde zu oft falsch eingegeben. Senden Sie dann noch eine E-Mail.",
  },
  phone: {
    about:
      "Wir senden einen Code per SMS an die Nummer. Eine neue Nummer ersetzt sofort die jetzige.",
    current: "Jetzige Nummer",
    none: "Keine",
    verified: "bestätigt",
    unverified: "nicht bestätigt",
    label: "Neue Telefonnummer",
    hint: "Mit der Vorwahl des Landes, zum Beispiel +41 44 668 18 00.",
    submit: "Code senden",
    invalid:
      "Geben Sie eine Telefonnummer mit der Vorwahl des Landes ein, zum Beispiel +41 44 668 18 00.",
    same: "Das ist bereits Ihre Nummer.",
    askCode: "Geben Sie den Code aus der SMS ein, die Sie bekommen haben.",
    verify: "Nummer bestätigen",
    resend: "Noch eine SMS senden",
    remove: "Nummer entfernen",
    wrongCodeHelp:
      "Bleibt es dabei, ist der Code vielleicht abgelaufen oder wurde zu oft falsch eingegeben. Senden Sie dann noch eine SMS.",
    tooSoon: "Eben wurde ein Code gesendet. Bitte warten Sie eine halbe Minute.",
    tooMany: "Heute können keine SMS mehr gesendet werden. Bitte versuchen Sie es morgen wieder.",
  },
  sessions: {
    about:
      "Mit jedem dieser Browser sind Sie angemeldet. Wenn Sie einen davon nicht kennen, melden Sie sich dort ab, und ändern Sie auf der Seite „Passwort“ Ihr Passwort.",
    since: (time, factors) => `Seit ${time}, mit: ${factors}.`,
    used: (time) => `Zuletzt benutzt: ${time}.`,
    program: (browser, system) => `${browser} unter ${system}`,
    unknownProgram: "Ein unbekannter Browser",
    network: (network) => `Netz ${network}`,
    factors: {
      password: "Passwort",
      otp: "Einmalcode",
      passkey: "Passkey",
      recovery: "Wiederherstellungscode",
    },
    gone: "Eine Anwendung, die es nicht mehr gibt",
    here: "Dieser Browser",
    endHere: "Hier abmelden",
    end: "Dort abmelden",
    endOthers: "Überall sonst abmelden",
    consents: "Anwendungen, die für Sie handeln dürfen",
    withdraw: "Nicht mehr erlauben",
  },
  passkeys: {
    about:
      "Mit einem Passkey melden Sie sich mit Fingerabdruck, Gesicht oder der PIN Ihres Geräts an. Wenn Sie ein Gerät verlieren, entfernen Sie hier seinen Passkey. Sie werden dann überall sonst abgemeldet.",
    add: "Passkey hinzufügen",
    unnamed: "Ein Passkey ohne Namen",
    added: (time) => `Hinzugefügt am ${time}.`,
    used: (time) => `Zuletzt benutzt am ${time}.`,
    remove: "Passkey entfernen",
    only: "Dieser Passkey ist Ihr einziger Weg zur Anmeldung und kann deshalb nicht entfernt werden. Fügen Sie zuerst einen anderen hinzu.",
    full: "Zu viele Passkeys wurden begonnen und nicht fertiggestellt. Versuchen Sie es in einer Stunde noch einmal.",
  },
  authenticator: {
    about:
      "Eine Authenticator-App auf Ihrem Telefon zeigt alle 30 Sekunden einen neuen Code. Sie brauchen dann bei jeder Anmeldung mit Passwort einen solchen Code.",
    begin: "App einrichten",
    hasOne: "Eine Authenticator-App ist eingerichtet.",
    codesLeft: (count) => `Übrige Wiederherstellungscodes: ${count}.`,
    newCodes: "Neue Wiederherstellungscodes",
    another: "Andere App einrichten",
    remove: "App entfernen",
    ends: "Wenn Sie die App entfernen oder eine andere einrichten, werden Sie überall sonst abgemeldet.",
    scan: "Scannen Sie diesen Code mit Ihrer Authenticator-App. Geben Sie dann die sechs Ziffern ein, die die App zeigt.",
    qr: "QR-Code für Ihre Authenticator-App",
    byHand: "Oder tippen Sie diesen Schlüssel in die App:",
    confirm: "Bestätigen",
    wrong: "Dieser Code gilt nicht. Geben Sie den ein, den die App jetzt zeigt.",
    restart: "Mit einem neuen Schlüssel beginnen",
    keep: "Das sind Ihre Wiederherstellungscodes. Jeder lässt Sie einmal ohne die App hinein, zusammen mit Ihrem Passwort. Drucken oder speichern Sie sie jetzt: Sie werden nicht noch einmal gezeigt, und frühere gelten nicht mehr.",
    kept: "Ich habe sie gespeichert",
    over: "Das Einrichten hat zu lange gedauert, oder zu viele Codes waren falsch. Beginnen Sie von vorn.",
    tooMany: "Das haben Sie heute zu oft getan. Versuchen Sie es morgen noch einmal.",
  },
  data: {
    about: [
      "Sie können alles herunterladen, was dieser Dienst über Sie speichert: Ihr Konto, wo Sie angemeldet sind und was geschehen ist, mit Zeit und Ort.",
      "Passwörter, Codes und andere Geheimnisse stehen nicht in der Datei. Bewahren Sie die Datei sicher auf: Sie handelt von Ihnen.",
    ],
    submit: "Ihre Daten herunterladen",
  },
  erasure: {
    about: [
      "Wenn Sie es verlangen, wird Ihr Konto nach 30 Tagen gelöscht. Bis dahin können Sie es sich hier anders überlegen.",
      "An diesem Tag werden Sie überall abgemeldet, und alles, was über Sie gespeichert ist, wird gelöscht. Niemand kann es zurückholen. Anwendungen, die Sie benutzt haben, können eigene Daten behalten.",
    ],
    holdsRoles:
      "Sie haben Rollen in der Verwaltung, deshalb kann Ihr Konto nicht gelöscht werden. Bitten Sie jemanden aus der Verwaltung, die Rollen vorher zu entfernen.",
    submit: "Löschung des Kontos verlangen",
    requested: (date) => `Ihr Konto wird am ${date} gelöscht.`,
    withdrawable:
      "Bis dahin können Sie das zurücknehmen. Am Tag davor bekommen Sie noch eine E-Mail.",
    withdraw: "Konto behalten",
  },
};
