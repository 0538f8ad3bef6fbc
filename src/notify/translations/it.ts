import type { Texts } from "../translation.ts";

/** What messages say in Italian. */
export const it: Texts = {
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
  passkey: {
    subject: "Crei una passkey",
    text: ({ name, organization, link, until }) => `Buongiorno ${name},

con questo link può creare una passkey per il Suo account presso ${organization}.
Lo apra sul dispositivo con cui accede:

${link}

Vale una sola volta, fino al ${until} UTC.

Se non si aspettava questo messaggio, non apra il link: non deve fare nulla.
`,
  },
  phone: {
    subject: "Il Suo codice",
    text: (code) => `Il Suo codice è ${code}. Non lo comunichi a nessuno.`,
  },
};
