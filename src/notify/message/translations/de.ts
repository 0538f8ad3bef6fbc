import type { Texts } from "../translation.ts";

/** What messages say in German. */
export const de: Texts = {
  initialization: {
    subject: "Richten Sie Ihr Konto ein",
    text: ({ name, organization, code, link, until }) => `Guten Tag ${name},

für Sie wurde bei ${organization} ein Konto angelegt.
Öffnen Sie diesen Link, um es einzurichten:

${link}

Ihr Code lautet ${code}. Link und Code gelten bis ${until} UTC.

Wenn Sie diese E-Mail nicht erwartet haben, brauchen Sie nichts zu tun.
`,
  },
  email: {
    subject: "Bestätigen Sie Ihre E-Mail-Adresse",
    text: ({ name, organization, code, link, until }) => `Guten Tag ${name},

diese E-Mail-Adresse wurde für Ihr Konto bei ${organization} angegeben.
Öffnen Sie diesen Link, um sie zu bestätigen:

${link}

Ihr Code lautet ${code}. Link und Code gelten bis ${until} UTC.

Wenn Sie dort kein Konto haben, öffnen Sie den Link nicht: Sie brauchen nichts zu tun.
`,
  },
  emailRequest: {
    subject: "Bestätigen Sie Ihre neue E-Mail-Adresse",
    text: ({ name, organization, code, link, until }) => `Guten Tag ${name},

jemand, vermutlich Sie, möchte diese E-Mail-Adresse für ein Konto bei
${organization} verwenden. Öffnen Sie diesen Link, um sie zu bestätigen:

${link}

Ihr Code lautet ${code}. Link und Code gelten bis ${until} UTC.

Wenn Sie das nicht waren, öffnen Sie den Link nicht: Sie brauchen nichts zu tun.
`,
  },
  reset: {
    subject: "Wählen Sie ein neues Passwort",
    text: ({ name, organization, link, until }) => `Guten Tag ${name},

jemand, vermutlich Sie, hat ein neues Passwort für Ihr Konto bei
${organization} verlangt. Öffnen Sie diesen Link, um eines zu wählen:

${link}

Er gilt einmal, bis ${until} UTC. Wer als Sie angemeldet ist, wird dann abgemeldet.

Wenn Sie das nicht waren, brauchen Sie nichts zu tun: Ihr Passwort bleibt, wie es ist.
`,
  },
  passkey: {
    subject: "Erstellen Sie einen Passkey",
    text: ({ name, organization, link, until }) => `Guten Tag ${name},

mit diesem Link erstellen Sie einen Passkey für Ihr Konto bei ${organization}.
Öffnen Sie ihn auf dem Gerät, mit dem Sie sich anmelden:

${link}

Er gilt einmal, bis ${until} UTC.

Wenn Sie diese E-Mail nicht erwartet haben, öffnen Sie den Link nicht: Sie brauchen nichts zu tun.
`,
  },
  registration: {
    subject: "Ihr Code für ein neues Konto",
    text: ({ organization, code, until }) => `Guten Tag,

jemand, vermutlich Sie, möchte mit dieser E-Mail-Adresse ein Konto bei
${organization} anlegen. Geben Sie zur Bestätigung diesen Code auf der Seite ein,
auf der Sie begonnen haben:

${code}

Der Code gilt bis ${until} UTC. Geben Sie ihn an niemanden weiter.

Wenn Sie das nicht waren, brauchen Sie nichts zu tun: Ohne den Code entsteht kein Konto.
`,
  },
  registered: {
    subject: "Sie haben schon ein Konto",
    text: ({ organization, link }) => `Guten Tag,

jemand, vermutlich Sie, wollte mit dieser E-Mail-Adresse ein Konto bei
${organization} anlegen. Es gibt schon eines, deshalb wurde nichts geändert.
Melden Sie sich mit dieser E-Mail-Adresse an:

${link}

Wenn Sie Ihr Passwort vergessen haben, wählen Sie auf der Anmeldeseite
„Passwort vergessen?“. Wenn Sie sich nicht anmelden können, fragen Sie Ihre Administration.

Wenn Sie das nicht waren, brauchen Sie nichts zu tun.
`,
    button: "Anmelden",
  },
  notice: {
    greet: (name) => `Guten Tag ${name},`,
    ifNotYou: `Wenn Sie das nicht waren, wählen Sie auf dieser Seite ein neues Passwort,
und wenden Sie sich an die Person, die Ihr Konto verwaltet:`,
    withdraw: `Bis dahin können Sie den Antrag auf dieser Seite zurückziehen. Wenn Sie ihn
nicht gestellt haben, wählen Sie dort auch ein neues Passwort, und wenden Sie sich an die
Person, die Ihr Konto verwaltet:`,
    button: "Konto öffnen",
    about: {
      "password.changed": {
        subject: "Ihr Passwort wurde geändert",
        text: ({ organization, time }) =>
          `das Passwort Ihres Kontos bei ${organization} wurde am
${time} UTC geändert.`,
      },
      "email.requested": {
        subject: "Eine andere E-Mail-Adresse wurde verlangt",
        text: ({ organization, time }) =>
          `für Ihr Konto bei ${organization} wurde am ${time} UTC
eine andere E-Mail-Adresse verlangt. Bis sie bestätigt ist, gilt diese Adresse.`,
      },
      "email.changed": {
        subject: "Ihre E-Mail-Adresse wurde geändert",
        text: ({ organization, time }) =>
          `die E-Mail-Adresse Ihres Kontos bei ${organization} wurde am
${time} UTC geändert.`,
      },
      "phone.changed": {
        subject: "Ihre Telefonnummer wurde geändert",
        text: ({ organization, time }) =>
          `die Telefonnummer Ihres Kontos bei ${organization} wurde am
${time} UTC geändert.`,
      },
      "phone.removed": {
        subject: "Ihre Telefonnummer wurde entfernt",
        text: ({ organization, time }) =>
          `die Telefonnummer Ihres Kontos bei ${organization} wurde am
${time} UTC entfernt.`,
      },
      "passkey.added": {
        subject: "Ein Passkey ist hinzugekommen",
        text: ({ organization, time }) =>
          `zu Ihrem Konto bei ${organization} ist am
${time} UTC ein Passkey hinzugekommen.`,
      },
      "passkey.removed": {
        subject: "Ein Passkey wurde entfernt",
        text: ({ organization, time }) =>
          `aus Ihrem Konto bei ${organization} wurde am
${time} UTC ein Passkey entfernt.`,
      },
      "externalidp.added": {
        subject: "Ein anderes Konto wurde verknüpft",
        text: ({ organization, time }) =>
          `mit Ihrem Konto bei ${organization} wurde am
${time} UTC ein Konto bei einem anderen Anbieter verknüpft. Damit können
Sie sich ab jetzt anmelden.`,
      },
      "externalidp.removed": {
        subject: "Ein verknüpftes Konto wurde entfernt",
        text: ({ organization, time }) =>
          `von Ihrem Konto bei ${organization} wurde am
${time} UTC ein Konto bei einem anderen Anbieter getrennt. Damit können
Sie sich nicht mehr anmelden.`,
      },
      "otp.added": {
        subject: "Eine Authenticator-App ist hinzugekommen",
        text: ({ organization, time }) =>
          `zu Ihrem Konto bei ${organization} ist am
${time} UTC eine Authenticator-App hinzugekommen.`,
      },
      "otp.removed": {
        subject: "Ihre Authenticator-App wurde entfernt",
        text: ({ organization, time }) =>
          `die Authenticator-App wurde am ${time} UTC
aus Ihrem Konto bei ${organization} entfernt.`,
      },
      "recovery_codes.added": {
        subject: "Sie haben neue Wiederherstellungscodes",
        text: ({ organization, time }) =>
          `für Ihr Konto bei ${organization} wurden am
${time} UTC neue Wiederherstellungscodes erstellt. Frühere Codes gelten nicht mehr.`,
      },
      "recovery_code.used": {
        subject: "Ein Wiederherstellungscode wurde benutzt",
        text: ({ organization, time }) =>
          `am ${time} UTC hat sich jemand mit einem Wiederherstellungscode
in Ihrem Konto bei ${organization} angemeldet. Der Code gilt nicht mehr.`,
      },
      "erasure.requested": {
        subject: "Ihr Konto wird gelöscht",
        text: ({ organization, time, due }) =>
          `am ${time} UTC wurde beantragt, Ihr Konto bei
${organization} zu löschen. Es wird am ${due} UTC gelöscht.`,
      },
      "erasure.withdrawn": {
        subject: "Ihr Konto wird nicht gelöscht",
        text: ({ organization, time }) =>
          `der Antrag, Ihr Konto bei ${organization} zu löschen, wurde am
${time} UTC zurückgezogen. Ihr Konto bleibt bestehen.`,
      },
      "erasure.due": {
        subject: "Ihr Konto wird bald gelöscht",
        text: ({ organization, due }) =>
          `es wurde beantragt, Ihr Konto bei ${organization} zu löschen.
Es wird am ${due} UTC gelöscht.`,
      },
    },
  },
  why: (organization) =>
    `Sie erhalten diese E-Mail, weil Ihre Adresse für ein Konto bei ${organization} angegeben wurde.`,
  phone: {
    subject: "Ihr Code",
    text: (code, host) => `Ihr Code für ${host} lautet ${code}. Geben Sie ihn an niemanden weiter.`,
  },
};
