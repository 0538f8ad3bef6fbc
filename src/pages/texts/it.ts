import type { Texts } from "../texts.ts";
import { account } from "./account/it.ts";
import { login } from "./login/it.ts";

export const it: Texts = {
  error: "Errore",
  skip: "Vai al contenuto",
  languages: "Lingua",
  code: {
    label: "Codice",
    hint: "Sei lettere e cifre. Maiuscole, minuscole e spazi non fanno differenza.",
    wrong: "Questo codice non è valido. Lo controlli e riprovi.",
  },
  initialization: {
    title: "Configuri il Suo account",
    askCode: "Inserisca il codice contenuto nell’e-mail che ha ricevuto.",
    submitCode: "Continua",
    wrongCodeHelp:
      "Se il problema persiste, forse il codice è già stato usato, è scaduto o è stato inserito in modo errato troppe volte. Chieda allora una nuova e-mail a chi ha creato il Suo account.",
    choosePassword: "Scelga una password e il Suo account sarà pronto.",
    keepPassword: "Confermi che questo account è Suo. La Sua password resta la stessa.",
    submit: "Configura l’account",
    submitKept: "Conferma l’account",
  },
  password: {
    label: "Password",
    show: "Mostra la password",
    rule: (min, max) =>
      `Da ${min} a ${max} caratteri. Vanno bene alcune parole che solo Lei metterebbe insieme.`,
    wrong: (min, max) => `La password deve avere da ${min} a ${max} caratteri.`,
    common: "Scelga un’altra password: questa è il Suo nome o una che molti usano.",
    tooShort: (min) => `Ancora troppo corta: almeno ${min} caratteri.`,
    tooLong: (max) => `Troppo lunga: al massimo ${max} caratteri.`,
    longEnough: "Lunghezza sufficiente. Le password comuni vengono rifiutate.",
  },
  login,
  account,
  owner: {
    title: "Diventare proprietario",
    explanation:
      "Questo account possiede l’intera istanza: organizzazioni, persone e applicazioni.",
    userName: "Nome utente",
    email: "Indirizzo e-mail",
    emailHint: "Lo controlli bene: chi vi legge la posta può scegliere una nuova password per Lei.",
    firstName: "Nome di battesimo",
    lastName: "Cognome",
    submit: "Crea l’account",
    taken: "Esiste già questo nome utente, o uno che gli somiglia. Ne scelga un altro.",
    invalidName: (max) => `Inserisca qui una riga da 1 a ${max} caratteri.`,
    invalidEmail: "Inserisca un solo indirizzo e-mail, per esempio ada@example.com.",
  },
  passkey: {
    title: "Crei una passkey",
    explanation:
      "Con una passkey accede con l’impronta digitale, il volto o il PIN del Suo dispositivo, senza password. L’impronta e il volto non lasciano mai il dispositivo.",
    name: "Nome della passkey (facoltativo)",
    nameHint: "Per riconoscerla in seguito, ad esempio «Il mio telefono».",
    submit: "Crea la passkey",
    waiting: "Segua le istruzioni del Suo dispositivo.",
    needsScript:
      "Una passkey si può creare solo con JavaScript. Lo attivi per questa pagina o apra il link in un altro browser.",
    problems: {
      cancelled:
        "Non è stata creata nessuna passkey: l’operazione è stata annullata o ha richiesto troppo tempo. Riprovi.",
      known:
        "Su questo dispositivo esiste già una passkey per questo account. Non ne serve un’altra.",
      address:
        "A questo indirizzo non si possono creare passkey. Apra il link esattamente come l’ha ricevuto; se non basta, avvisi chi gestisce questo servizio.",
      unsupported: "Questo browser o dispositivo non può creare passkey. Apra il link su un altro.",
      code: "Questo link non è più valido: è già stato usato o è scaduto. Ne chieda uno nuovo a chi gliel’ha inviato.",
      invalid: "La passkey non è stata accettata. Riprovi.",
      failed: "Non ha funzionato. Controlli la connessione e riprovi.",
    },
  },
  phone: {
    title: "Verifichi il Suo numero di telefono",
    askCode: "Inserisca il codice contenuto nell’SMS che ha ricevuto.",
    submit: "Verifica",
    wrongCodeHelp:
      "Se il problema persiste, forse il codice è già stato usato, è scaduto o è stato inserito in modo errato troppe volte. Chieda allora un nuovo codice a chi ha creato il Suo account.",
  },
  email: {
    title: "Verifichi il Suo indirizzo e-mail",
    ask: "Confermi di aver ricevuto l’e-mail con questo link e che l’account indicato è Suo.",
    askCode: "Inserisca il codice contenuto nell’e-mail che ha ricevuto.",
    submit: "Verifica",
    wrongCodeHelp:
      "Se il problema persiste, forse il codice è già stato usato, è scaduto o è stato inserito in modo errato troppe volte. Chieda allora una nuova e-mail a chi gestisce il Suo account.",
  },
  done: {
    account: {
      title: "Il Suo account è pronto",
      paragraphs: ["Tutto è configurato."],
    },
    passkey: {
      title: "La Sua passkey è pronta",
      paragraphs: ["Ora è associata al Suo account. Può chiudere questa pagina."],
    },
    phone: {
      title: "Il Suo numero di telefono è verificato",
      paragraphs: ["Grazie. Può chiudere questa pagina."],
    },
    email: {
      title: "Il Suo indirizzo e-mail è verificato",
      paragraphs: ["Grazie. Può chiudere questa pagina."],
    },
    owner: {
      title: "L’istanza ora è Sua",
      paragraphs: ["Acceda con il nome utente e la password."],
    },
    something: { title: "Fatto", paragraphs: ["Può chiudere questa pagina."] },
    phoneLeft:
      "Il Suo numero di telefono non è ancora verificato. Il codice Le è stato inviato per SMS.",
    verifyPhone: "Verifica il numero di telefono",
  },
  home: {
    title: "Gestione delle identità e degli accessi",
    link: "Vai alla pagina iniziale",
    about:
      "Qui accede alle applicazioni della Sua organizzazione, e vede e modifica il Suo account.",
    people:
      "È qui per configurare il Suo account? Apra allora il link per intero, così come l’ha ricevuto.",
  },
  overLink: {
    title: "Questo link non è più valido",
    reasons: {
      code: [
        "È già stato usato, è scaduto o è stato inserito troppe volte un codice errato.",
        "Se il Suo account è configurato, non deve fare altro. Altrimenti chieda una nuova e-mail a chi ha creato il Suo account.",
      ],
      passkeyCode: [
        "È già stato usato, è scaduto o è stato aperto troppe volte con un codice errato.",
        "Se ha creato la Sua passkey, non deve fare altro. Altrimenti ne chieda uno nuovo a chi Le ha inviato il link.",
      ],
      emailCode: [
        "È già stato usato, è scaduto, c’è un’e-mail più recente o è stato inserito troppe volte un codice errato.",
        "Se il Suo indirizzo e-mail è verificato, non deve fare altro. Altrimenti chieda una nuova e-mail a chi gestisce il Suo account.",
      ],
      resetCode: [
        "È già stato usato, ha più di un’ora o è stata inviata un’e-mail più recente.",
        "Torni all’applicazione e chieda un’altra e-mail nella pagina di accesso.",
      ],
      ownerLink: [
        "È già stato usato, ha più di un giorno o ne esiste uno più recente.",
        "Chi gestisce questo servizio ne crea un altro con il comando owner-link.",
      ],
    },
  },
  problems: {
    link: {
      title: "Questo link non è completo",
      paragraphs: [
        "Una parte del link manca o è stata modificata lungo il percorso. Lo apra di nuovo dalla Sua e-mail o lo copi per intero nella barra degli indirizzi.",
      ],
    },
    missing: {
      title: "Questa pagina non esiste",
      paragraphs: ["Controlli l’indirizzo o apra di nuovo il link dalla Sua e-mail."],
    },
    form: {
      title: "Non ha funzionato",
      paragraphs: [
        "Non è stato possibile capire ciò che il Suo browser ha inviato. Torni alla pagina precedente e riprovi.",
      ],
    },
    later: {
      title: "Riprovi tra un momento",
      paragraphs: [
        "Il servizio non può rispondere in questo momento. Nulla è andato perduto: torni alla pagina precedente e riprovi.",
      ],
    },
    fault: {
      title: "Qualcosa è andato storto",
      paragraphs: [
        "Non è stata colpa Sua. Riprovi più tardi. Se succede di nuovo, comunichi l’ID della richiesta qui sotto a chi gestisce questo servizio.",
      ],
    },
  },
  requestId: "ID della richiesta",
};
