import { html } from "../../../text/html.ts";
import type { ExternalTexts } from "../../external-texts.ts";

export const external: ExternalTexts = {
  offer: (provider) => html`Continua con ${provider}`,
  google: "Accedi con Google",
  arrived: (account, provider) => html`Ha effettuato l’accesso a ${provider} come ${account}.`,
  choose: {
    title: "Nessun account è ancora collegato",
    ask: "Se ha un account qui, acceda per collegare i due. Altrimenti, crei un account.",
    link: "Ho un account qui",
  },
  linking: (account, provider) =>
    html`Acceda al Suo account qui. ${account} (${provider}) verrà poi collegato.`,
  leave: "Non collegare",
  create: {
    title: "Completi il Suo account",
    ask: "Controlli i Suoi dati. Poi il Suo account sarà pronto.",
  },
  problems: {
    denied: {
      title: "Non ha effettuato l’accesso",
      paragraphs: [
        "L’accesso all’altro servizio è stato annullato. Riprovi o acceda in un altro modo.",
      ],
    },
    unreachable: {
      title: "L’altro servizio non risponde",
      paragraphs: ["Attenda un momento e riprovi, o acceda in un altro modo."],
    },
    unusable: {
      title: "Non ha effettuato l’accesso",
      paragraphs: [
        "L’altro servizio non ha confermato chi è Lei. Riprovi o acceda in un altro modo. Se succede di nuovo, contatti chi gestisce questo servizio.",
      ],
    },
    stale: {
      title: "Non ha effettuato l’accesso",
      paragraphs: [
        "L’altro servizio non indica di averLe chiesto di accedere di nuovo, e questo accesso lo richiede. Riprovi o acceda in un altro modo.",
      ],
    },
    unknown: {
      title: "Nessun account è collegato",
      paragraphs: [
        "Nessun account qui è collegato a questo, e Lei non può crearne uno. Si rivolga alla persona che gestisce il Suo account.",
      ],
    },
    unlinked: {
      title: "L’account non è stato collegato",
      paragraphs: [
        "Appartiene a un’altra persona, o la Sua organizzazione non lo consente. Può accedere senza.",
      ],
    },
    tooMany: {
      title: "Riprovi più tardi",
      paragraphs: ["Dalla Sua rete sono stati creati troppi account. Attenda un’ora, poi riprovi."],
    },
  },
  trial: {
    verified: "E-mail verificata",
    title: "Il provider funziona",
    name: "Nome visualizzato",
    nothing: "Questa era una prova. Nessuno ha effettuato l’accesso e nulla è stato salvato.",
  },
  other: "Accedi in un altro modo",
};
