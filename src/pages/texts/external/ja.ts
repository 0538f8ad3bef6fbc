import { html } from "../../../text/html.ts";
import type { ExternalTexts } from "../../external-texts.ts";

export const external: ExternalTexts = {
  offer: (provider) => html`${provider}で続行`,
  google: "Google でログイン",
  arrived: (account, provider) => html`${provider} に ${account} としてログインしています。`,
  choose: {
    title: "連携されたアカウントがありません",
    ask: "こちらのアカウントをお持ちの場合は、ログインすると連携されます。お持ちでない場合は、アカウントを作成してください。",
    link: "アカウントを持っています",
  },
  linking: (account, provider) =>
    html`こちらのアカウントにログインしてください。${provider} の ${account} がそのアカウントに連携されます。`,
  leave: "連携しない",
  create: {
    title: "アカウント情報の入力",
    ask: "内容を確認してください。これでアカウントが使えるようになります。",
  },
  problems: {
    denied: {
      title: "ログインできませんでした",
      paragraphs: [
        "外部サービスでのログインがキャンセルされました。もう一度試すか、別の方法でログインしてください。",
      ],
    },
    unreachable: {
      title: "外部サービスが応答しません",
      paragraphs: ["しばらく待ってからもう一度試すか、別の方法でログインしてください。"],
    },
    unusable: {
      title: "ログインできませんでした",
      paragraphs: [
        "外部サービスで本人であることを確認できませんでした。もう一度試すか、別の方法でログインしてください。繰り返し起こる場合は、このサービスの運営者にお問い合わせください。",
      ],
    },
    stale: {
      title: "ログインできませんでした",
      paragraphs: [
        "このログインには再認証が必要ですが、外部サービスで再認証が行われたことを確認できませんでした。もう一度試すか、別の方法でログインしてください。",
      ],
    },
    unknown: {
      title: "連携されたアカウントがありません",
      paragraphs: [
        "このアカウントと連携されたアカウントはなく、ご自身で作成することもできません。アカウントの管理者にお問い合わせください。",
      ],
    },
    unlinked: {
      title: "アカウントを連携できませんでした",
      paragraphs: [
        "ほかの人のアカウントであるか、組織で許可されていません。連携せずにログインできます。",
      ],
    },
    tooMany: {
      title: "しばらくしてからお試しください",
      paragraphs: [
        "お使いのネットワークから作成されたアカウントが多すぎます。1時間待ってから、もう一度お試しください。",
      ],
    },
  },
  trial: {
    verified: "確認済みのメールアドレス",
    title: "プロバイダーは正常に動作しています",
    name: "表示名",
    nothing: "これはテストです。誰もログインしておらず、何も保存されていません。",
  },
  other: "別の方法でログイン",
};
