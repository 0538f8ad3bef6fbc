import type { Language } from "./language.ts";

/** What links lead to that an organization shows below its pages and mails. */
export interface LinkTexts {
  readonly terms: string;
  readonly privacy: string;
  readonly help: string;
  readonly documentation: string;
  /** Leads to a mail. */
  readonly support: string;
}

/** What these links say in each language. */
export const linkTexts: { readonly [language in Language]: LinkTexts } = {
  en: {
    terms: "Terms",
    privacy: "Privacy",
    help: "Help",
    documentation: "Documentation",
    support: "Contact support",
  },
  de: {
    terms: "Nutzungsbedingungen",
    privacy: "Datenschutz",
    help: "Hilfe",
    documentation: "Dokumentation",
    support: "Support kontaktieren",
  },
  fr: {
    terms: "Conditions d’utilisation",
    privacy: "Confidentialité",
    help: "Aide",
    documentation: "Documentation",
    support: "Contacter l’assistance",
  },
  es: {
    terms: "Condiciones de uso",
    privacy: "Privacidad",
    help: "Ayuda",
    documentation: "Documentación",
    support: "Contactar con soporte",
  },
  it: {
    terms: "Condizioni d’uso",
    privacy: "Privacy",
    help: "Aiuto",
    documentation: "Documentazione",
    support: "Contattare l’assistenza",
  },
  ja: {
    terms: "利用規約",
    privacy: "プライバシー",
    help: "ヘルプ",
    documentation: "ドキュメント",
    support: "サポートへのお問い合わせ",
  },
  ar: {
    terms: "شروط الاستخدام",
    privacy: "الخصوصية",
    help: "المساعدة",
    documentation: "الوثائق",
    support: "التواصل مع الدعم",
  },
};
