import type { AccountTexts } from "../../account-texts.ts";

export const account: AccountTexts = {
  title: "Il Suo account",
  navigation: "Il Suo account",
  parts: {
    overview: "Riepilogo",
    profile: "Nome e lingua",
    password: "Password",
    email: "Indirizzo e-mail",
    phone: "Numero di telefono",
    sessions: "Dove ha effettuato l’accesso",
    data: "I Suoi dati",
    erasure: "Cancellare l’account",
  },
  notLoggedIn: {
    title: "Non ha effettuato l’accesso",
    paragraphs: [
      "Nessuno ha effettuato l’accesso con questo browser. Acceda per vedere e modificare il Suo account.",
    ],
  },
  logIn: "Accedi",
  open: "Aprire l’account",
  overview: {
    userName: "Nome utente",
    name: "Nome",
    email: "Indirizzo e-mail",
    unverified: "Il Suo indirizzo e-mail non è verificato.",
    organization: "Organizzazione",
    erasing: (date) => `Il Suo account sarà cancellato il ${date}.`,
  },
  tooOften: "Oggi ha modificato questo dato troppe volte. Riprovi domani.",
  profile: {
    about: "Così La vedono gli altri. Le e-mail arrivano nella lingua che sceglie qui.",
    nickName: "Soprannome (facoltativo)",
    displayName: "Nome che vedono gli altri (facoltativo)",
    displayNameHint: "Se è vuoto, gli altri vedono nome e cognome.",
    language: "Lingua",
    noLanguage: "Nessuna scelta",
    gender: "Genere",
    genders: {
      UNSPECIFIED: "Non specificato",
      FEMALE: "Femminile",
      MALE: "Maschile",
      DIVERSE: "Altro",
    },
    submit: "Salva",
    saved: "Le modifiche sono salvate.",
    invalidLine: (max) => `Inserisca qui una riga di ${max} caratteri al massimo, o niente.`,
    invalidLanguage: "Scelga una di queste lingue.",
  },
  password: {
    about: [
      "Inserisca la password attuale e una nuova. Qui l’accesso resta attivo, tutte le altre sessioni si chiudono.",
    ],
    first:
      "L’account non ha ancora una password. Con una password può accedere anche senza passkey.",
    current: "Password attuale",
    wrong:
      "La password attuale non è corretta, oppure ci sono stati troppi tentativi. La controlli; dopo troppi tentativi attenda un quarto d’ora.",
    label: "Nuova password",
    submit: "Cambia password",
    submitFirst: "Imposta password",
    saved: "La password è cambiata. Tutte le altre sessioni sono chiuse.",
  },
  email: {
    about:
      "Inviamo un codice al nuovo indirizzo. Finché non lo inserisce, l’indirizzo resta quello attuale. Dopo, tutte le altre sessioni si chiudono.",
    current: "Indirizzo attuale",
    verified: "verificato",
    unverified: "non verificato",
    label: "Nuovo indirizzo e-mail",
    submit: "Invia il codice",
    same: "Questo è già il Suo indirizzo.",
    requested: "Nuovo indirizzo",
    askCode:
      "Inserisca il codice dell’e-mail inviata al nuovo indirizzo, oppure apra il link che contiene.",
    verify: "Conferma l’indirizzo",
    resend: "Invia un’altra e-mail",
    withdraw: "Mantieni l’indirizzo attuale",
    wrongCodeHelp:
      "Se il problema persiste, forse il codice è scaduto o è stato inserito in modo errato troppe volte. Invii allora un’altra e-mail.",
  },
  phone: {
    about:
      "Inviamo un codice al numero tramite SMS. Un nuovo numero sostituisce subito quello attuale.",
    current: "Numero attuale",
    none: "Nessuno",
    verified: "verificato",
    unverified: "non verificato",
    label: "Nuovo numero di telefono",
    hint: "Con il prefisso del Paese, per esempio +41 44 668 18 00.",
    submit: "Invia il codice",
    invalid:
      "Inserisca un numero di telefono con il prefisso del Paese, per esempio +41 44 668 18 00.",
    same: "Questo è già il Suo numero.",
    askCode: "Inserisca il codice dell’SMS che ha ricevuto.",
    verify: "Conferma il numero",
    resend: "Invia un altro SMS",
    remove: "Rimuovi il numero",
    wrongCodeHelp:
      "Se il problema persiste, forse il codice è scaduto o è stato inserito in modo errato troppe volte. Invii allora un altro SMS.",
    tooSoon: "Un codice è appena stato inviato. Attenda mezzo minuto.",
    tooMany: "Oggi non si possono inviare altri SMS. Riprovi domani.",
  },
  sessions: {
    about:
      "Chi ha uno di questi browser agisce a Suo nome. Se non ne riconosce uno, chiuda quella sessione e scelga un’altra password nella pagina «Password».",
    since: (time, factors) => `Dal ${time}, con: ${factors}.`,
    used: (time) => `Ultimo utilizzo: ${time}.`,
    program: (browser, system) => `${browser} su ${system}`,
    unknownProgram: "Un browser sconosciuto",
    network: (network) => `rete ${network}`,
    factors: {
      password: "password",
      otp: "codice monouso",
      passkey: "passkey",
      recovery: "codice di recupero",
    },
    gone: "Un’applicazione che non esiste più",
    here: "Questo browser",
    endHere: "Esci qui",
    end: "Chiudi quella sessione",
    endOthers: "Chiudi tutte le altre sessioni",
    consents: "Applicazioni che possono agire a Suo nome",
    withdraw: "Non consentirlo più",
  },
  data: {
    about: [
      "Può scaricare tutto ciò che questo servizio conserva su di Lei: l’account, dove ha effettuato l’accesso e ciò che è accaduto, con data e luogo.",
      "Password, codici e chiavi non sono nel file. Lo conservi in un luogo sicuro: riguarda Lei.",
    ],
    submit: "Scaricare i dati",
  },
  erasure: {
    about: [
      "Se lo chiede, l’account viene cancellato dopo 30 giorni. Fino ad allora può cambiare idea qui.",
      "Quel giorno l’accesso termina ovunque e tutto ciò che è conservato su di Lei viene cancellato. Nessuno può recuperarlo. Le applicazioni che ha usato possono conservare dati propri.",
    ],
    holdsRoles:
      "Ha ruoli di amministrazione, perciò l’account non può essere cancellato. Chieda prima a un altro amministratore di toglierli.",
    submit: "Chiedere la cancellazione",
    requested: (date) => `Il Suo account sarà cancellato il ${date}.`,
    withdrawable:
      "Può annullare la richiesta fino ad allora. Il giorno prima riceverà un’altra e-mail.",
    withdraw: "Conservare l’account",
  },
};
