import type { AccountTexts } from "../../account-texts.ts";

export const account: AccountTexts = {
  title: "Il Suo account",
  navigation: "Il Suo account",
  parts: {
    overview: "Riepilogo",
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
