import type { Language } from "../text/language.ts";
import { mailHtml } from "./mail-html.ts";

/** The values in a mail about a new account. */
export interface Initialization {
  readonly name: string;
  readonly code: string;
  readonly link: string;
  readonly expirationMs: number;
}

interface Texts {
  /** For dates. */
  readonly locale: string;
  readonly initialization: {
    readonly subject: string;
    text(values: Omit<Initialization, "expirationMs"> & { readonly until: string }): string;
  };
  readonly phone: { readonly subject: string; text(code: string): string };
}

/** The mail that leads a person to a new account: its subject, and its text in both forms. */
export function initializationTexts(
  language: Language,
  { expirationMs, ...values }: Initialization,
): { readonly subject: string; readonly text: string; readonly html: string } {
  const { locale, initialization } = texts[language];
  const date = new Intl.DateTimeFormat(locale, {
    dateStyle: "long",
    timeStyle: "short",
    timeZone: "UTC",
  });
  const { subject } = initialization;
  const text = initialization.text({ ...values, until: date.format(expirationMs) });
  return { subject, text, html: mailHtml({ language, subject, text, link: values.link }) };
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
      text: ({ name, code, link, until }) => `Hello ${name},

an account was created for you. Open this link to set it up:

${link}

Your code is ${code}. Link and code are valid until ${until} UTC.

If you did not expect this mail, you need not do anything.
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
      text: ({ name, code, link, until }) => `Guten Tag ${name},

für Sie wurde ein Konto angelegt. Öffnen Sie diesen Link, um es einzurichten:

${link}

Ihr Code lautet ${code}. Link und Code gelten bis ${until} UTC.

Wenn Sie diese E-Mail nicht erwartet haben, brauchen Sie nichts zu tun.
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
      text: ({ name, code, link, until }) => `Bonjour ${name},

un compte a été créé pour vous. Ouvrez ce lien pour le configurer :

${link}

Votre code est ${code}. Le lien et le code sont valables jusqu’au ${until} UTC.

Si vous n’attendiez pas ce message, vous n’avez rien à faire.
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
      text: ({ name, code, link, until }) => `Hola, ${name}:

Se ha creado una cuenta para usted. Abra este enlace para configurarla:

${link}

Su código es ${code}. El enlace y el código son válidos hasta el ${until} UTC.

Si no esperaba este mensaje, no tiene que hacer nada.
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
      text: ({ name, code, link, until }) => `Buongiorno ${name},

è stato creato un account per Lei. Apra questo link per configurarlo:

${link}

Il Suo codice è ${code}. Il link e il codice sono validi fino al ${until} UTC.

Se non si aspettava questo messaggio, non deve fare nulla.
`,
    },
    phone: {
      subject: "Il Suo codice",
      text: (code) => `Il Suo codice è ${code}. Non lo comunichi a nessuno.`,
    },
  },
};
