import type { Texts } from "../translation.ts";

/** What messages say in Italian. */
export const it: Texts = {
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

questo indirizzo e-mail è stato indicato per il Suo account presso ${organization}.
Apra questo link per verificarlo:

${link}

Il Suo codice è ${code}. Il link e il codice sono validi fino al ${until} UTC.

Se non ha un account lì, non apra il link: non deve fare nulla.
`,
  },
  emailRequest: {
    subject: "Confermi il Suo nuovo indirizzo e-mail",
    text: ({ name, organization, code, link, until }) => `Buongiorno ${name},

qualcuno, probabilmente Lei, vuole usare questo indirizzo e-mail per un account presso
${organization}. Apra questo link per confermarlo:

${link}

Il Suo codice è ${code}. Il link e il codice sono validi fino al ${until} UTC.

Se non è stato Lei, non apra il link: non deve fare nulla.
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
  registration: {
    subject: "Il suo codice per creare un account",
    text: ({ organization, code, until }) => `Buongiorno,

qualcuno, probabilmente Lei, vuole creare un account presso ${organization} con
questo indirizzo e-mail. Per confermarlo, inserisca questo codice nella pagina
in cui ha iniziato:

${code}

Il codice è valido fino al ${until} UTC. Non lo comunichi a nessuno.

Se non è stato Lei, non deve fare nulla: senza il codice non viene creato alcun account.
`,
  },
  registered: {
    subject: "Ha già un account",
    text: ({ organization, link }) => `Buongiorno,

qualcuno, probabilmente Lei, ha provato a creare un account presso ${organization}
con questo indirizzo e-mail. Ne esiste già uno, quindi non è stato modificato nulla.
Acceda con questo indirizzo e-mail:

${link}

Se ha dimenticato la password, scelga «Password dimenticata?» nella pagina di
accesso. Se non riesce ad accedere, si rivolga al suo amministratore.

Se non è stato Lei, non deve fare nulla.
`,
    button: "Accedi",
  },
  notice: {
    greet: (name) => `Buongiorno ${name},`,
    ifNotYou: `Se non è stato Lei, scelga una nuova password in questa pagina
e avvisi il Suo amministratore:`,
    withdraw: `Fino ad allora può ritirare la richiesta in questa pagina. Se non l’ha fatta Lei,
scelga lì anche una nuova password e avvisi il Suo amministratore:`,
    button: "Apra il Suo account",
    about: {
      "password.changed": {
        subject: "La Sua password è stata cambiata",
        text: ({ organization, time }) =>
          `la password del Suo account presso ${organization} è stata cambiata il
${time} UTC.`,
      },
      "email.requested": {
        subject: "È stato chiesto un altro indirizzo e-mail",
        text: ({ organization, time }) =>
          `è stato chiesto un altro indirizzo e-mail per il Suo account presso ${organization} il
${time} UTC. Finché non è confermato, questo indirizzo resta in uso.`,
      },
      "email.changed": {
        subject: "Il Suo indirizzo e-mail è stato cambiato",
        text: ({ organization, time }) =>
          `l’indirizzo e-mail del Suo account presso ${organization} è stato cambiato il
${time} UTC.`,
      },
      "phone.changed": {
        subject: "Il Suo numero di telefono è stato cambiato",
        text: ({ organization, time }) =>
          `il numero di telefono del Suo account presso ${organization} è stato cambiato il
${time} UTC.`,
      },
      "phone.removed": {
        subject: "Il Suo numero di telefono è stato rimosso",
        text: ({ organization, time }) =>
          `il numero di telefono del Suo account presso ${organization} è stato rimosso il
${time} UTC.`,
      },
      "passkey.added": {
        subject: "È stata aggiunta una passkey",
        text: ({ organization, time }) =>
          `una passkey è stata aggiunta al Suo account presso ${organization} il
${time} UTC.`,
      },
      "passkey.removed": {
        subject: "È stata rimossa una passkey",
        text: ({ organization, time }) =>
          `una passkey è stata rimossa dal Suo account presso ${organization} il
${time} UTC.`,
      },
      "externalidp.added": {
        subject: "È stato collegato un altro account",
        text: ({ organization, time }) =>
          `un account di un altro provider è stato collegato al Suo account presso
${organization} il ${time} UTC. D’ora in poi può usarlo per accedere.`,
      },
      "externalidp.removed": {
        subject: "Un account è stato scollegato",
        text: ({ organization, time }) =>
          `un account di un altro provider è stato scollegato dal Suo account presso
${organization} il ${time} UTC. Non può più usarlo per accedere.`,
      },
      "otp.added": {
        subject: "È stata aggiunta un’app di autenticazione",
        text: ({ organization, time }) =>
          `un’app di autenticazione è stata aggiunta al Suo account presso ${organization} il
${time} UTC.`,
      },
      "otp.removed": {
        subject: "La Sua app di autenticazione è stata rimossa",
        text: ({ organization, time }) =>
          `l’app di autenticazione è stata rimossa dal Suo account presso ${organization} il
${time} UTC.`,
      },
      "recovery_codes.added": {
        subject: "Ha nuovi codici di recupero",
        text: ({ organization, time }) =>
          `nuovi codici di recupero sono stati creati per il Suo account presso ${organization} il
${time} UTC. I codici precedenti non sono più validi.`,
      },
      "recovery_code.used": {
        subject: "È stato usato un codice di recupero",
        text: ({ organization, time }) =>
          `un codice di recupero è stato usato per accedere al Suo account presso ${organization} il
${time} UTC. Non è più valido.`,
      },
      "erasure.requested": {
        subject: "Il Suo account sarà cancellato",
        text: ({ organization, time, due }) =>
          `la cancellazione del Suo account presso ${organization} è stata richiesta il
${time} UTC. L’account sarà cancellato il ${due} UTC.`,
      },
      "erasure.withdrawn": {
        subject: "Il Suo account non sarà cancellato",
        text: ({ organization, time }) =>
          `la richiesta di cancellare il Suo account presso ${organization} è stata ritirata il
${time} UTC. Il Suo account resta.`,
      },
      "erasure.due": {
        subject: "Il Suo account sarà presto cancellato",
        text: ({ organization, due }) =>
          `la cancellazione del Suo account presso ${organization} è stata richiesta.
L’account sarà cancellato il ${due} UTC.`,
      },
    },
  },
  why: (organization) =>
    `Riceve questo messaggio perché il Suo indirizzo è stato indicato per un account presso ${organization}.`,
  phone: {
    subject: "Il Suo codice",
    text: (code, host) => `Il Suo codice per ${host} è ${code}. Non lo comunichi a nessuno.`,
  },
};
