import type { Language } from "../text/language.ts";

/** The values in a mail whose link leads to a page. */
export interface Linked {
  readonly name: string;
  /** The name of the organization that the person belongs to. */
  readonly organization: string;
  readonly link: string;
  readonly expirationMs: number;
}

/** The same of a mail with a code to be typed besides. */
export interface Coded extends Linked {
  readonly code: string;
}

/** What a mail says: its subject, and its text, in which the link stands on a line of its own. */
export interface MailTexts<Values extends Linked> {
  readonly subject: string;
  text(values: Values & { readonly until: string }): string;
}

/** What messages say in one language. */
export interface Texts {
  /** For dates. */
  readonly locale: string;
  /** To a new account. */
  readonly initialization: MailTexts<Coded>;
  /** To verify another e-mail address. */
  readonly email: MailTexts<Coded>;
  /** To replace a forgotten password. */
  readonly reset: MailTexts<Linked>;
  /** To verify a phone number; SMS has no subject. */
  readonly phone: { readonly subject: string; text(code: string): string };
}

/** What messages say, by the language of the person. */
export const texts: { readonly [language in Language]: Texts } = {
  en: {
    locale: "en-GB",
    initialization: {
      subject: "Set up your account",
      text: ({ name, organization, code, link, until }) => `Hello ${name},

an account was created for you at ${organization}.
Open this link to set it up:

${link}

Your code is ${code}. Link and code are valid until ${until} UTC.

If you did not expect this mail, you need not do anything.
`,
    },
    email: {
      subject: "Verify your email address",
      text: ({ name, organization, code, link, until }) => `Hello ${name},

this is now the email address of your account at ${organization}.
Open this link to verify it:

${link}

Your code is ${code}. Link and code are valid until ${until} UTC.

If you have no account there, do not open the link: you need not do anything.
`,
    },
    reset: {
      subject: "Choose a new password",
      text: ({ name, organization, link, until }) => `Hello ${name},

somebody, probably you, has asked for a new password for your account at
${organization}. Open this link to choose one:

${link}

It can be used once, until ${until} UTC. All sessions of your account end then.

If it was not you, you need not do anything: your password stays as it is.
`,
    },
    phone: {
      subject: "Your code",
      text: (code) => `Your code is ${code}. Do not share it with anyone.`,
    },
  },
  de: {
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
    phone: {
      subject: "Ihr Code",
      text: (code) => `Ihr Code lautet ${code}. Geben Sie ihn an niemanden weiter.`,
    },
  },
  fr: {
    locale: "fr",
    initialization: {
      subject: "Configurez votre compte",
      text: ({ name, organization, code, link, until }) => `Bonjour ${name},

un compte a été créé pour vous chez ${organization}.
Ouvrez ce lien pour le configurer :

${link}

Votre code est ${code}. Le lien et le code sont valables jusqu’au ${until} UTC.

Si vous n’attendiez pas ce message, vous n’avez rien à faire.
`,
    },
    email: {
      subject: "Vérifiez votre adresse e-mail",
      text: ({ name, organization, code, link, until }) => `Bonjour ${name},

ceci est désormais l’adresse e-mail de votre compte chez ${organization}.
Ouvrez ce lien pour la vérifier :

${link}

Votre code est ${code}. Le lien et le code sont valables jusqu’au ${until} UTC.

Si vous n’y avez pas de compte, n’ouvrez pas le lien : vous n’avez rien à faire.
`,
    },
    reset: {
      subject: "Choisissez un nouveau mot de passe",
      text: ({ name, organization, link, until }) => `Bonjour ${name},

quelqu’un, sans doute vous, a demandé un nouveau mot de passe pour votre compte chez
${organization}. Ouvrez ce lien pour en choisir un :

${link}

Il est valable une fois, jusqu’au ${until} UTC.
Toute personne connectée sous votre nom sera alors déconnectée.

Si ce n’était pas vous, vous n’avez rien à faire : votre mot de passe reste le même.
`,
    },
    phone: {
      subject: "Votre code",
      text: (code) => `Votre code est ${code}. Ne le communiquez à personne.`,
    },
  },
  es: {
    locale: "es",
    initialization: {
      subject: "Configure su cuenta",
      text: ({ name, organization, code, link, until }) => `Hola, ${name}:

Se ha creado una cuenta para usted en ${organization}.
Abra este enlace para configurarla:

${link}

Su código es ${code}. El enlace y el código son válidos hasta el ${until} UTC.

Si no esperaba este mensaje, no tiene que hacer nada.
`,
    },
    email: {
      subject: "Verifique su correo electrónico",
      text: ({ name, organization, code, link, until }) => `Hola, ${name}:

Esta es ahora la dirección de correo de su cuenta en ${organization}.
Abra este enlace para verificarla:

${link}

Su código es ${code}. El enlace y el código son válidos hasta el ${until} UTC.

Si no tiene ninguna cuenta allí, no abra el enlace: no tiene que hacer nada.
`,
    },
    reset: {
      subject: "Elija una contraseña nueva",
      text: ({ name, organization, link, until }) => `Hola, ${name}:

Alguien, probablemente usted, ha pedido una contraseña nueva para su cuenta en
${organization}. Abra este enlace para elegirla:

${link}

Sirve una sola vez, hasta el ${until} UTC.
Se cerrará entonces la sesión de quien la tenga abierta con su cuenta.

Si no ha sido usted, no tiene que hacer nada: su contraseña sigue siendo la misma.
`,
    },
    phone: {
      subject: "Su código",
      text: (code) => `Su código es ${code}. No lo comparta con nadie.`,
    },
  },
  it: {
    locale: "it",
    initialization: {
      subject: "Configuri il Suo account",
      text: ({ name, organization, code, link, until }) => `Buongiorno ${name},

è stato creato un account per Lei presso ${organization}.
Apra questo link per configurarlo:

${link}

Il Suo codice è ${code}. Il link e il codice sono validi fino al ${until} UTC.

Se non si aspettava questo messaggio, non deve fare nulla.
`,
    },
    email: {
      subject: "Verifichi il Suo indirizzo e-mail",
      text: ({ name, organization, code, link, until }) => `Buongiorno ${name},

questo è ora l’indirizzo e-mail del Suo account presso ${organization}.
Apra questo link per verificarlo:

${link}

Il Suo codice è ${code}. Il link e il codice sono validi fino al ${until} UTC.

Se non ha un account lì, non apra il link: non deve fare nulla.
`,
    },
    reset: {
      subject: "Scelga una nuova password",
      text: ({ name, organization, link, until }) => `Buongiorno ${name},

qualcuno, probabilmente Lei, ha chiesto una nuova password per il Suo account presso
${organization}. Apra questo link per sceglierla:

${link}

Vale una sola volta, fino al ${until} UTC.
Chi ha aperto una sessione con il Suo account verrà allora disconnesso.

Se non è stato Lei, non deve fare nulla: la Sua password resta la stessa.
`,
    },
    phone: {
      subject: "Il Suo codice",
      text: (code) => `Il Suo codice è ${code}. Non lo comunichi a nessuno.`,
    },
  },
};
