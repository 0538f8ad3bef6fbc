import type { Language } from "../text/language.ts";
import { mailHtml } from "./mail-html.ts";

/** The values in a mail about a new account. */
export interface Initialization {
  readonly name: string;
  /** The name of the organization that the person belongs to. */
  readonly organization: string;
  readonly code: string;
  readonly link: string;
  readonly expirationMs: number;
}

/** The values in a mail by which a forgotten password is replaced. */
export type Reset = Omit<Initialization, "code">;

interface Texts {
  /** For dates. */
  readonly locale: string;
  readonly initialization: {
    readonly subject: string;
    text(values: Omit<Initialization, "expirationMs"> & { readonly until: string }): string;
  };
  readonly reset: {
    readonly subject: string;
    text(values: Omit<Reset, "expirationMs"> & { readonly until: string }): string;
  };
  readonly phone: { readonly subject: string; text(code: string): string };
}

/** The mail that leads a person to a new account: its subject, and its text in both forms. */
export function initializationTexts(
  language: Language,
  { expirationMs, ...values }: Initialization,
): { readonly subject: string; readonly text: string; readonly html: string } {
  const { subject, text: textOf } = texts[language].initialization;
  const text = textOf({ ...values, until: timeIn(language, expirationMs) });
  return { subject, text, html: mailHtml({ language, subject, text, link: values.link }) };
}

/** The mail by which a forgotten password is replaced, in the same way. */
export function resetTexts(
  language: Language,
  { expirationMs, ...values }: Reset,
): { readonly subject: string; readonly text: string; readonly html: string } {
  const { subject, text: textOf } = texts[language].reset;
  const text = textOf({ ...values, until: timeIn(language, expirationMs) });
  return { subject, text, html: mailHtml({ language, subject, text, link: values.link }) };
}

function timeIn(language: Language, ms: number): string {
  const form = { dateStyle: "long", timeStyle: "short", timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat(texts[language].locale, form).format(ms);
}

/** Subject and text of the message with which a phone number is verified; SMS has no subject. */
export function phoneTexts(
  language: Language,
  code: string,
): { readonly subject: string; readonly text: string } {
  const { subject, text } = texts[language].phone;
  return { subject, text: text(code) };
}

const texts: { readonly [language in Language]: Texts } = {
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
