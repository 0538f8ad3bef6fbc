import { create } from "@bufbuild/protobuf";
import { LocalizedMessageSchema } from "../../gen/iam/v1/message_pb.js";
import type { Trigger } from "../domain/flow-types.ts";
import type { Language } from "../text/language.ts";

/** The name of a flow, in the reader's language. */
export function flowName(flow: Trigger["flow"], language: Language) {
  return named(flowTexts[flow], language);
}

/** The name of a trigger, in the reader's language. */
export function triggerName(trigger: Trigger["trigger"], language: Language) {
  return named(triggerTexts[trigger], language);
}

/** A name in all languages, with its key, which the compatible API has as well. */
type Text = { readonly key: string } & { readonly [language in Language]: string };

function named({ key, ...texts }: Text, language: Language) {
  return create(LocalizedMessageSchema, { key, localizedMessage: texts[language] });
}

const flowTexts: { readonly [flow in Trigger["flow"]]: Text } = {
  1: {
    key: "Action.Flow.Type.ExternalAuthentication",
    en: "Login with an account elsewhere",
    de: "Anmeldung mit einem Konto anderswo",
    fr: "Connexion avec un compte externe",
    es: "Inicio de sesión con una cuenta externa",
    it: "Accesso con un account esterno",
    ja: "外部アカウントでのログイン",
    ar: "تسجيل الدخول بحساب خارجي",
  },
  2: {
    key: "Action.Flow.Type.CustomiseToken",
    en: "Claims of tokens",
    de: "Claims in Token",
    fr: "Revendications des jetons",
    es: "Declaraciones de los tokens",
    it: "Attestazioni dei token",
    ja: "トークンのクレーム",
    ar: "مطالبات الرموز المميزة",
  },
  3: {
    key: "Action.Flow.Type.InternalAuthentication",
    en: "Login with an account here",
    de: "Anmeldung mit einem Konto bei uns",
    fr: "Connexion avec un compte local",
    es: "Inicio de sesión con una cuenta local",
    it: "Accesso con un account locale",
    ja: "このサービスのアカウントでのログイン",
    ar: "تسجيل الدخول بحساب محلي",
  },
};

const triggerTexts: { readonly [trigger in Trigger["trigger"]]: Text } = {
  1: {
    key: "Action.TriggerType.PostAuthentication",
    en: "After the login",
    de: "Nach der Anmeldung",
    fr: "Après la connexion",
    es: "Después del inicio de sesión",
    it: "Dopo l'accesso",
    ja: "ログイン後",
    ar: "بعد تسجيل الدخول",
  },
  2: {
    key: "Action.TriggerType.PreCreation",
    en: "Before the user is created",
    de: "Bevor der Benutzer angelegt wird",
    fr: "Avant la création de l'utilisateur",
    es: "Antes de crear el usuario",
    it: "Prima della creazione dell'utente",
    ja: "ユーザーの作成前",
    ar: "قبل إنشاء المستخدم",
  },
  3: {
    key: "Action.TriggerType.PostCreation",
    en: "After the user is created",
    de: "Nachdem der Benutzer angelegt wurde",
    fr: "Après la création de l'utilisateur",
    es: "Después de crear el usuario",
    it: "Dopo la creazione dell'utente",
    ja: "ユーザーの作成後",
    ar: "بعد إنشاء المستخدم",
  },
  4: {
    key: "Action.TriggerType.PreUserinfoCreation",
    en: "Before the user is described",
    de: "Bevor Auskunft über den Benutzer gegeben wird",
    fr: "Avant de communiquer les données de l'utilisateur",
    es: "Antes de facilitar los datos del usuario",
    it: "Prima di fornire i dati dell'utente",
    ja: "ユーザー情報の提供前",
    ar: "قبل تقديم بيانات المستخدم",
  },
  5: {
    key: "Action.TriggerType.PreAccessTokenCreation",
    en: "Before an access token is created",
    de: "Bevor ein Access-Token ausgestellt wird",
    fr: "Avant la création d'un jeton d'accès",
    es: "Antes de crear un token de acceso",
    it: "Prima della creazione di un token di accesso",
    ja: "アクセストークンの作成前",
    ar: "قبل إنشاء رمز الوصول",
  },
};
