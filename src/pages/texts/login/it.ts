import type { LoginTexts } from "../../texts.ts";

export const login: LoginTexts = {
  title: "Accedi",
  to: (application, organization) => `a ${application} di ${organization}`,
  userName: "Nome utente o indirizzo e-mail",
  submit: "Accedi",
  wrong:
    "Il nome utente o la password non è corretta, oppure ci sono stati troppi tentativi. Controlli entrambi e riprovi; dopo troppi tentativi attenda un quarto d’ora.",
  tooMany: "Ci sono stati troppi tentativi dalla sua rete. Attenda un quarto d’ora.",
  cancel: "Annulla",
  otp: {
    title: "Inserire un codice monouso",
    ask: "Apra la sua app di autenticazione e inserisca il codice che mostra.",
    label: "Codice monouso",
    hint: "Sei cifre.",
    wrong: "Questo codice non è valido o è già stato usato. Attenda il prossimo.",
  },
  change: {
    title: "Scegliere una nuova password",
    ask: "Prima di continuare deve scegliere una nuova password.",
    label: "Nuova password",
    submit: "Cambia la password",
    same: "Scelga una password che non ha avuto prima.",
  },
  proceed: {
    title: "Continua",
    ask: "Ha effettuato l’accesso come questa persona.",
    submit: "Continua",
    other: "Accedi con un altro account",
  },
  logout: {
    title: "Esci",
    ask: "Vuole uscire? Questo termina la sua sessione in questo browser, per tutte le applicazioni.",
    submit: "Esci",
    stay: "Rimani connesso",
  },
  loggedOut: { title: "È uscito", paragraphs: ["Può chiudere questa pagina."] },
  unready: {
    title: "Il suo account non è ancora configurato",
    paragraphs: [
      "Apra prima il link dell’e-mail che ha ricevuto e configuri il suo account. Se non ha questa e-mail, si rivolga a chi ha creato il suo account.",
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
      "Non è stato un suo errore: la richiesta dell’applicazione non è stata compresa o non è consentita. Comunichi ai suoi responsabili quanto riportato sotto.",
    ],
  },
};
