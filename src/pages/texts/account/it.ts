import type { AccountTexts } from "../../account-texts.ts";

export const account: AccountTexts = {
  title: "Il Suo account",
  navigation: "Il Suo account",
  parts: {
    overview: "Riepilogo",
    passkeys: "Passkey",
    authenticator: "App di autenticazione",
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
  sessions: {
    about:
      "Chi ha uno di questi browser agisce a Suo nome. Se non ne riconosce uno, chiuda quella sessione e scelga un’altra password con «Password dimenticata?», dove accede.",
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
  passkeys: {
    about:
      "Con una passkey accede con l’impronta, il volto o il PIN del Suo dispositivo. Se perde un dispositivo, rimuova qui la sua passkey: allora termina tutto ciò che viene dai Suoi accessi, tranne questa sessione.",
    add: "Aggiungere una passkey",
    unnamed: "Una passkey senza nome",
    added: (time) => `Aggiunta il ${time}.`,
    used: (time) => `Usata l’ultima volta il ${time}.`,
    remove: "Rimuovere la passkey",
    only: "Questa passkey è il Suo unico modo di accedere, perciò non può essere rimossa. Ne aggiunga prima un’altra.",
    full: "Troppe passkey sono state iniziate e non completate. Riprovi tra un’ora.",
  },
  authenticator: {
    about:
      "Un’app di autenticazione sul Suo telefono mostra un nuovo codice ogni 30 secondi. Ne serve poi uno a ogni accesso con la password.",
    begin: "Configurare un’app",
    hasOne: "Un’app di autenticazione è configurata.",
    codesLeft: (count) => `Codici di recupero rimasti: ${count}.`,
    newCodes: "Ottenere nuovi codici di recupero",
    another: "Configurare un’altra app",
    remove: "Rimuovere l’app",
    scan: "Scansioni questo codice con la Sua app di autenticazione. Poi inserisca le sei cifre che l’app mostra.",
    qr: "Codice QR per la Sua app di autenticazione",
    byHand: "Oppure digiti questa chiave nell’app:",
    confirm: "Confermare",
    wrong: "Questo codice non è valido. Inserisca quello che l’app mostra ora.",
    restart: "Ricominciare con una nuova chiave",
    keep: "Questi sono i Suoi codici di recupero. Ciascuno permette di entrare una volta senza l’app, insieme alla password. Li stampi o li salvi ora: non vengono mostrati di nuovo, e quelli precedenti non sono più validi.",
    kept: "Li ho salvati",
    over: "La configurazione è durata troppo, o troppi codici erano sbagliati. Ricominci.",
    tooMany: "Lo ha fatto troppe volte oggi. Riprovi domani.",
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
