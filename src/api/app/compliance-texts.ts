import { create } from "@bufbuild/protobuf";
import { LocalizedMessageSchema } from "../../../gen/iam/v1/message_pb.js";
import {
  type ComplianceInput,
  checkCompliance,
  type ProblemKey,
} from "../../domain/oidc-compliance.ts";
import { languageOf } from "../../text/accept-language.ts";
import type { Language } from "../../text/language.ts";

/** The part of an answer that tells how far an application keeps to the specifications. */
export function complianceMessage(settings: ComplianceInput, acceptLanguage: string) {
  const { noneCompliant, problems } = checkCompliance(settings);
  const language = languageOf(acceptLanguage);
  return {
    noneCompliant,
    complianceProblems: problems.map((key) =>
      create(LocalizedMessageSchema, { key, localizedMessage: complianceText(key, language) }),
    ),
  };
}

/** The text of a compliance problem, with the way to mend it, in the reader's language. */
export function complianceText(key: ProblemKey, language: Language): string {
  return texts[key][language];
}

const texts: { readonly [key in ProblemKey]: { readonly [language in Language]: string } } = {
  "Application.OIDC.V1.NotCompliant": {
    en: "The configuration departs from the OIDC specification; the problems below say where.",
    de: "Die Konfiguration weicht von der OIDC-Spezifikation ab; die folgenden Punkte sagen, wo.",
    fr: "La configuration s'écarte de la spécification OIDC ; les points suivants disent où.",
    es: "La configuración se aparta de la especificación OIDC; los puntos siguientes dicen dónde.",
    it: "La configurazione si discosta dalla specifica OIDC; i punti seguenti dicono dove.",
    ja: "設定がOIDC仕様から外れています。該当箇所は以下の項目をご覧ください。",
    ar: "يخالف الإعداد مواصفة OIDC؛ وتوضح النقاط التالية مواضع المخالفة.",
  },
  "Application.OIDC.V1.NoRedirectUris": {
    en: "No redirect URI is set: add at least one, or use the device grant alone.",
    de: "Es fehlt eine Redirect-URI: mindestens eine angeben oder nur den Device-Grant verwenden.",
    fr: "Aucune URI de redirection : en ajouter une ou n'utiliser que l'octroi « device ».",
    es: "Falta una URI de redirección: añada al menos una o use solo la concesión de dispositivo.",
    it: "Manca un URI di reindirizzamento: aggiungerne uno o usare solo il grant per dispositivi.",
    ja: "リダイレクトURIがありません。1つ以上追加するか、デバイスグラントだけを使用してください。",
    ar: "لا يوجد عنوان URI لإعادة التوجيه: أضِف عنوانًا واحدًا على الأقل، أو استخدم منح device وحده.",
  },
  "Application.OIDC.V1.NotAllCombinationsAreAllowed": {
    en: "With both the code and the implicit grant, not every redirect URI works for both: use https.",
    de: "Mit Code- und Implicit-Grant passt nicht jede Redirect-URI zu beiden: https verwenden.",
    fr: "Avec les octrois « code » et « implicit », toutes les URI ne conviennent pas : utiliser https.",
    es: "Con las concesiones code e implicit no toda URI sirve para ambas: use https.",
    it: "Con i grant code e implicit non tutti gli URI valgono per entrambi: usare https.",
    ja: "codeとimplicitの両方のグラントで使えないリダイレクトURIがあります。httpsを使用してください。",
    ar: "مع منحي code و implicit معًا، لا تصلح كل عناوين URI لكليهما: استخدم https.",
  },
  "Application.OIDC.V1.GrantType.Refresh.NoAuthCode": {
    en: "A refresh token needs the authorization code or the device grant: grant one of them too.",
    de: "Refresh-Token brauchen den Authorization-Code- oder Device-Grant: einen davon erlauben.",
    fr: "Un jeton de rafraîchissement exige l'octroi « authorization code » ou « device » : l'ajouter.",
    es: "Un token de refresco necesita la concesión authorization code o device: añada una de ellas.",
    it: "Un refresh token richiede il grant authorization code o device: aggiungerne uno.",
    ja: "リフレッシュトークンには、authorization codeまたはdeviceのグラントが必要です。いずれかを追加してください。",
    ar: "يتطلب رمز التحديث منح authorization code أو device: أضِف أحدهما.",
  },
  "Application.OIDC.V1.Implicit.RedirectUris.CustomNotAllowed": {
    en: "The implicit grant does not allow custom schemes in redirect URIs: use https.",
    de: "Der Implicit-Grant erlaubt keine eigenen Schemata in Redirect-URIs: https verwenden.",
    fr: "L'octroi « implicit » n'admet pas de schéma propre dans les URI : utiliser https.",
    es: "La concesión implicit no admite esquemas propios en las URI: use https.",
    it: "Il grant implicit non ammette schemi propri negli URI: usare https.",
    ja: "implicitグラントでは、リダイレクトURIに独自スキームを使えません。httpsを使用してください。",
    ar: "لا يسمح منح implicit بمخططات خاصة في عناوين URI: استخدم https.",
  },
  "Application.OIDC.V1.Implicit.RedirectUris.HttpNotAllowed": {
    en: "The implicit grant does not allow http redirect URIs here: use https.",
    de: "Der Implicit-Grant erlaubt hier keine http-Redirect-URIs: https verwenden.",
    fr: "L'octroi « implicit » n'admet pas ici d'URI http : utiliser https.",
    es: "La concesión implicit no admite aquí URI http: use https.",
    it: "Il grant implicit non ammette qui URI http: usare https.",
    ja: "ここでは、implicitグラントでhttpのリダイレクトURIを使えません。httpsを使用してください。",
    ar: "لا يسمح منح implicit هنا بعناوين URI من نوع http: استخدم https.",
  },
  "Application.OIDC.V1.Code.RedirectUris.HttpOnlyForWeb": {
    en: "Only web applications may have http redirect URIs: use https or the application type web.",
    de: "Nur Web-Anwendungen dürfen http-Redirect-URIs haben: https oder den Typ Web verwenden.",
    fr: "Seules les applications web admettent des URI http : utiliser https ou le type web.",
    es: "Solo las aplicaciones web admiten URI http: use https o el tipo web.",
    it: "Solo le applicazioni web ammettono URI http: usare https o il tipo web.",
    ja: "httpのリダイレクトURIを使えるのはWebアプリケーションだけです。httpsか、種類webを使用してください。",
    ar: "لا تُسمح عناوين URI من نوع http إلا لتطبيقات الويب: استخدم https أو النوع web.",
  },
  "Application.OIDC.V1.Code.RedirectUris.CustomOnlyForNative": {
    en: "Only native applications may have custom schemes: use https or the application type native.",
    de: "Nur native Anwendungen dürfen eigene Schemata haben: https oder den Typ nativ verwenden.",
    fr: "Seules les applications natives admettent un schéma propre : https ou le type natif.",
    es: "Solo las aplicaciones nativas admiten esquemas propios: use https o el tipo nativo.",
    it: "Solo le applicazioni native ammettono schemi propri: usare https o il tipo nativo.",
    ja: "独自スキームを使えるのはネイティブアプリケーションだけです。httpsか、種類nativeを使用してください。",
    ar: "لا تُسمح المخططات الخاصة إلا للتطبيقات الأصلية: استخدم https أو النوع native.",
  },
  "Application.OIDC.V1.Native.RedirectUris.MustBeHttpLocalhost": {
    en: "A native application's http redirect URIs must lead to localhost, 127.0.0.0/8 or [::1].",
    de: "http-Redirect-URIs nativer Anwendungen müssen auf localhost, 127.0.0.0/8 oder [::1] zeigen.",
    fr: "Les URI http d'une application native doivent viser localhost, 127.0.0.0/8 ou [::1].",
    es: "Las URI http de una aplicación nativa deben apuntar a localhost, 127.0.0.0/8 o [::1].",
    it: "Gli URI http di un'applicazione nativa devono puntare a localhost, 127.0.0.0/8 o [::1].",
    ja: "ネイティブアプリケーションのhttpリダイレクトURIは、localhost、127.0.0.0/8、[::1]のいずれかを指す必要があります。",
    ar: "يجب أن تشير عناوين URI من نوع http للتطبيق الأصلي إلى localhost أو 127.0.0.0/8 أو [::1].",
  },
  "Application.OIDC.V1.Native.AuthMethodType.NotNone": {
    en: "A native application cannot keep a secret: set the authentication method to none (PKCE).",
    de: "Eine native Anwendung kann kein Geheimnis bewahren: Authentifizierung auf none (PKCE) setzen.",
    fr: "Une application native ne peut garder un secret : choisir la méthode none (PKCE).",
    es: "Una aplicación nativa no puede guardar un secreto: elija el método none (PKCE).",
    it: "Un'applicazione nativa non può custodire un segreto: scegliere il metodo none (PKCE).",
    ja: "ネイティブアプリケーションはシークレットを秘匿できません。認証方式をnone（PKCE）にしてください。",
    ar: "لا يمكن للتطبيق الأصلي حفظ سر: اختر طريقة المصادقة none (PKCE).",
  },
  "Application.OIDC.V1.UserAgent.AuthMethodType.NotNone": {
    en: "A browser application cannot keep a secret: set the authentication method to none (PKCE).",
    de: "Eine Browser-Anwendung kann kein Geheimnis bewahren: Authentifizierung auf none (PKCE) setzen.",
    fr: "Une application de navigateur ne peut garder un secret : choisir la méthode none (PKCE).",
    es: "Una aplicación de navegador no puede guardar un secreto: elija el método none (PKCE).",
    it: "Un'applicazione per browser non può custodire un segreto: scegliere il metodo none (PKCE).",
    ja: "ブラウザアプリケーションはシークレットを秘匿できません。認証方式をnone（PKCE）にしてください。",
    ar: "لا يمكن لتطبيق المتصفح حفظ سر: اختر طريقة المصادقة none (PKCE).",
  },
};
