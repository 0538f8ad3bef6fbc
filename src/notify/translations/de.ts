import type { Texts } from "../translation.ts";

/** What messages say in German. */
export const de: Texts = {
  locale: "de",
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

dies ist jetzt die E-Mail-Adresse Ihres Kontos bei ${organization}.
Öffnen Sie diesen Link, um sie zu bestätigen:

${link}

Ihr Code lautet ${code}. Link und Code gelten bis ${until} UTC.

Wenn Sie dort kein Konto haben, öffnen Sie den Link nicht: Sie brauchen nichts zu tun.
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
  phone: {
    subject: "Ihr Code",
    text: (code) => `Ihr Code lautet ${code}. Geben Sie ihn an niemanden weiter.`,
  },
};
