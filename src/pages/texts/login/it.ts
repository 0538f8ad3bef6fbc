import { html } from "../../../text/html.ts";
import type { LoginTexts } from "../../texts.ts";
import { external } from "../external/it.ts";

export const login: LoginTexts = {
  title: "Accedi",
  to: (application, organization) => html`${application} di ${organization}`,
  toAccount: "Il Suo account",
  again: "Acceda di nuovo per modificare questo.",
  userName: "Nome utente o indirizzo e-mail",
  submit: "Accedi",
  wrong: "Nome utente o password errati.",
  wrongHelp: "Dopo troppi tentativi attenda un quarto d’ora.",
  tooMany: "Ci sono stati troppi tentativi dalla Sua rete. Attenda un quarto d’ora.",
  cancel: "Annulla",
  or: "oppure",
  factors: {
    password: "password",
    otp: "codice monouso",
    passkey: "passkey",
    recovery: "codice di recupero",
    external: "account esterno",
  },
  passkey: {
    offer: "Accedi con una passkey",
    title: "Accedi con una passkey",
    ask: "Il dispositivo chiede l’impronta digitale, il volto o il suo PIN.",
    submit: "Riprova",
    other: "Accedi con una password",
    wrong: "Questa passkey non è stata accettata. Riprovi oppure acceda con la password.",
    needsScript:
      "Le passkey hanno bisogno di JavaScript. Lo attivi per questa pagina oppure acceda con la password.",
    problems: {
      cancelled:
        "Non è stata usata alcuna passkey: qui non ce n’è una per questo servizio, l’operazione è stata annullata o ha richiesto troppo tempo.",
      address:
        "A questo indirizzo non si possono usare passkey. Lo segnali a chi gestisce questo servizio.",
      unsupported: "Questo browser o dispositivo non può usare passkey. Acceda con la password.",
      failed: "Non ha funzionato. Controlli la connessione e riprovi.",
    },
  },
  otp: {
    title: "Inserire un codice monouso",
    ask: "Apra la Sua app di autenticazione e inserisca il codice che mostra.",
    label: "Codice monouso",
    hint: "Sei cifre.",
    wrong: "Questo codice non è valido o è già stato usato. Attenda il prossimo.",
    tooManyInDay:
      "In questo browser sono stati inseriti troppi codici errati. Riprovi domani o in un altro browser.",
  },
  recovery: {
    offer: "Usa un codice di recupero",
    title: "Inserisca un codice di recupero",
    ask: "Inserisca uno dei codici di recupero che ha conservato. Ognuno vale una sola volta.",
    label: "Codice di recupero",
    hint: "16 lettere e cifre. Spazi, trattini e maiuscole non contano.",
    wrong:
      "Questo codice non è valido o è già stato usato. Controlli ciò che ha scritto o inserisca un altro codice.",
    other: "Inserisci un codice monouso",
    none: {
      title: "Non ha codici di recupero",
      paragraphs: [
        "Non ne resta nessuno, o non ne ha mai creati. Chieda a chi gestisce il Suo account di rimuovere la Sua app di autenticazione. Poi potrà accedere con la password e configurare un’altra app.",
      ],
    },
  },
  setup: {
    title: "Configura un’app di autenticazione",
    ask: "L’organizzazione chiede anche un codice monouso. Installi un’app di autenticazione sul telefono e la configuri adesso.",
    done: "La Sua app di autenticazione è configurata",
  },
  change: {
    title: "Scegliere una nuova password",
    ask: "Prima di continuare deve scegliere una nuova password.",
    label: "Nuova password",
    submit: "Cambia la password",
    same: "Scelga una password che non ha avuto prima.",
  },
  forgotten: {
    link: "Password dimenticata?",
    title: "Password dimenticata?",
    ask: "Dica chi è. Riceverà un’e-mail con un link per scegliere un’altra password.",
    submit: "Invia e-mail",
    back: "Torna all’accesso",
    tooMany: "Dalla Sua rete sono state chieste troppe e-mail. Attenda un’ora.",
    sent: {
      title: "Guardi nella Sua casella di posta",
      paragraphs: [
        "Se ha qui un account con una password, un’e-mail è in viaggio verso il Suo indirizzo. Il link vale una sola volta, entro un’ora; di più e-mail conta solo l’ultima.",
        "Non arriva nulla? Guardi nella posta indesiderata e controlli che cosa ha inserito. Se non ha ancora configurato l’account, apra l’e-mail che ha ricevuto allora. Altrimenti chieda a chi si occupa del Suo account.",
      ],
    },
    of: (person, organization) => html`${person} presso ${organization}`,
    choose:
      "Chi ha aperto una sessione come Lei, su qualsiasi dispositivo, verrà allora disconnesso.",
    changed: {
      title: "La Sua password è cambiata",
      paragraphs: ["D’ora in poi acceda con quella nuova."],
    },
    elsewhere: "Torni all’applicazione che vuole usare e acceda da lì.",
  },
  external,
  register: {
    offer: "Crea un account",
    title: "Crea un account",
    emailHint: "Lì riceverà un’e-mail con un codice.",
    domains: (domains) => html`Lì riceverà un’e-mail con un codice. Domini consentiti: ${domains}.`,
    wrongDomain: "Inserisca un indirizzo di uno dei domini consentiti.",
    tooMany: "Sono state richieste troppe e-mail. Riprovi domani.",
    submit: "Continua",
    code: {
      title: "Controlli la posta",
      ask: (email) => html`È in arrivo un’e-mail a ${email}.`,
      inMail: "Se contiene un codice, lo inserisca qui. Se dice che ha già un account, acceda.",
      help: "Dopo cinque codici errati deve ricominciare. Di più e-mail vale solo l’ultima.",
      again: "Invia un’altra e-mail",
      other: "Cambia l’indirizzo e-mail",
    },
    way: {
      title: "Scelga come accedere",
      ask: "Il Suo indirizzo e-mail è confermato. Ancora un passaggio e il Suo account sarà pronto.",
      address: "Un nome utente con @ deve essere il Suo indirizzo e-mail.",
      submit: "Crea account",
      passkey: "Usa invece una passkey",
      other: "Indietro",
      needsScript: "Le passkey richiedono JavaScript. Lo attivi per questa pagina.",
      unsupported: "Questo browser o dispositivo non può creare passkey.",
    },
    held: {
      title: "Ha già un account",
      paragraphs: ["Esiste un account con questo indirizzo e-mail. Acceda con esso."],
    },
    over: {
      title: "Questo codice non è più valido",
      paragraphs: [
        "È scaduto, oppure è stato inserito troppe volte un codice errato. Non è stato creato alcun account.",
      ],
    },
    beginAgain: "Ricomincia",
  },
  proceed: {
    title: "Continua",
    ask: "Ha effettuato l’accesso come questa persona.",
    away: "L’applicazione potrà consultare chi è Lei anche quando non c’è.",
    submit: "Continua",
    other: "Accedi con un altro account",
  },
  consent: {
    title: "Consentire l’accesso",
    ask: (application, organization) =>
      html`${application} di ${organization} vuole agire per Suo conto.`,
    site: "Si prosegue su",
    you: "Ha eseguito l’accesso come",
    list: "Se lo consente, l’applicazione potrà:",
    identity: "sapere chi è Lei",
    grants: {
      api: "vedere, modificare ed eliminare in questo servizio, a Suo nome, tutto ciò che può vedere, modificare ed eliminare Lei",
      profile: "vedere il Suo nome, la lingua e il genere",
      email: "vedere il Suo indirizzo e-mail",
      phone: "vedere il Suo numero di telefono",
      away: "farlo anche in Sua assenza",
    },
    trust: "Lo consenta solo se conosce l’applicazione e si fida dei suoi responsabili.",
    submit: "Consenti",
    deny: "Non consentire",
  },
  device: {
    title: "Collegare un dispositivo",
    enter:
      "Inserisca il codice che mostra il Suo dispositivo. Non inserisca mai un codice che Le ha inviato qualcuno.",
    label: "Codice sul dispositivo",
    hint: "Otto lettere. Trattini e maiuscole non contano.",
    wrong:
      "Questo codice non è valido, è scaduto o è già stato usato. Controlli che cosa mostra il Suo dispositivo.",
    submit: "Continua",
    consent: {
      title: "Accedere sull’altro dispositivo?",
      ask: (application, organization) =>
        html`${application} di ${organization} vuole farLa accedere su un altro dispositivo.`,
      trust:
        "Lo consenta solo se ha iniziato Lei, su un dispositivo che ha davanti. Se qualcuno Le ha inviato il codice o un link, non lo consenta.",
    },
    allowed: {
      title: "Il Suo dispositivo è collegato",
      paragraphs: [
        "Torni al Suo dispositivo. Prosegue da solo tra pochi secondi. Può chiudere questa pagina.",
      ],
    },
    denied: {
      title: "Il Suo dispositivo non è collegato",
      paragraphs: [
        "Non lo ha consentito, oppure non può usare questa app. Può chiudere questa pagina.",
      ],
    },
    over: {
      title: "Questo codice non vale più",
      paragraphs: ["È scaduto o è già stato usato. Richieda un nuovo codice sul Suo dispositivo."],
    },
    again: "Inserisci un altro codice",
  },
  logout: {
    title: "Esci",
    ask: "Vuole uscire? Questo termina la Sua sessione in questo browser, per tutte le applicazioni.",
    submit: "Esci",
    stay: "Rimani connesso",
    refused: "L’applicazione non può farla uscire così",
  },
  onward: {
    title: "Un momento, per favore",
    ask: "Reindirizzamento in corso. Se non succede nulla, prema «Continua».",
    submit: "Continua",
  },
  loggedOut: { title: "È uscito", paragraphs: ["Può chiudere questa pagina."] },
  unready: {
    title: "Il Suo account non è ancora configurato",
    paragraphs: [
      "Apra prima il link dell’e-mail che ha ricevuto e configuri il Suo account. Se non ha questa e-mail, si rivolga a chi ha creato il Suo account.",
    ],
  },
  notAllowed: {
    title: "Non può accedere in questo modo",
    paragraphs: [
      "Le regole di un’organizzazione non lo permettono. Acceda in un altro modo, per esempio con una passkey. Se non ha un altro modo, si rivolga alla persona che gestisce il Suo account.",
    ],
  },
  expired: {
    title: "Questo accesso è terminato",
    paragraphs: [
      "È durato troppo, è già stato completato o è iniziato in un altro browser. Torni all’applicazione e acceda di nuovo da lì.",
    ],
  },
  refused: {
    title: "L’applicazione non può farla accedere così",
    paragraphs: [
      "Non è stato un Suo errore: la richiesta dell’applicazione non è stata compresa o non è consentita. Comunichi ai suoi responsabili quanto riportato sotto.",
    ],
  },
  refusedDetails: {
    uri: "URI inviato",
    clientId: "ID del client",
    register: (list, operation) =>
      `L’applicazione non ha questo URI; il confronto avviene carattere per carattere. Per registrarlo, lo aggiunga a ${list} con ${operation}.`,
  },
};
