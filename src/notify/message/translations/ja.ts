import type { Texts } from "../translation.ts";

/**
 * What messages say in Japanese. A paragraph stands on one line: HTML would show a blank where a
 * line ends.
 */
export const ja: Texts = {
  initialization: {
    subject: "アカウントを設定してください",
    text: ({ name, organization, code, link, until }) => `${name} 様

${organization} に、あなたのアカウントが作成されました。次のリンクを開いて、アカウントを設定してください。

${link}

コードは ${code} です。リンクとコードの有効期限は ${until} UTC です。

このメールに心当たりがない場合は、無視していただいてかまいません。
`,
  },
  email: {
    subject: "メールアドレスを確認してください",
    text: ({ name, organization, code, link, until }) => `${name} 様

${organization} のあなたのアカウントに、このメールアドレスが登録されました。次のリンクを開いて、アドレスを確認してください。

${link}

コードは ${code} です。リンクとコードの有効期限は ${until} UTC です。

アカウントをお持ちでない場合は、リンクを開かず、このメールを無視してください。
`,
  },
  emailRequest: {
    subject: "新しいメールアドレスを確認してください",
    text: ({ name, organization, code, link, until }) => `${name} 様

${organization} のアカウントで、このメールアドレスへの変更が依頼されました。ご本人による依頼と思われます。次のリンクを開いて、アドレスを確認してください。

${link}

コードは ${code} です。リンクとコードの有効期限は ${until} UTC です。

心当たりがない場合は、リンクを開かず、このメールを無視してください。
`,
  },
  reset: {
    subject: "パスワードの再設定",
    text: ({ name, organization, link, until }) => `${name} 様

${organization} のあなたのアカウントで、パスワードの再設定が依頼されました。ご本人による依頼と思われます。次のリンクを開いて、新しいパスワードを設定してください。

${link}

リンクは ${until} UTC まで、1回だけ使えます。再設定すると、すべてのデバイスからログアウトします。

心当たりがない場合は、このメールを無視してください。パスワードは変わりません。
`,
  },
  passkey: {
    subject: "パスキーの作成",
    text: ({ name, organization, link, until }) => `${name} 様

次のリンクから、${organization} のあなたのアカウントのパスキーを作成できます。ログインに使うデバイスで開いてください。

${link}

リンクは ${until} UTC まで、1回だけ使えます。

このメールに心当たりがない場合は、リンクを開かず、無視してください。
`,
  },
  registration: {
    subject: "アカウント作成のコード",
    text: ({ organization, code, until }) => `こんにちは。

このメールアドレスで ${organization} のアカウントを作成する手続きが始まりました。ご本人による手続きと思われます。確認のため、手続きを始めたページに次のコードを入力してください。

${code}

コードの有効期限は ${until} UTC です。コードは誰にも教えないでください。

心当たりがない場合は、このメールを無視してください。コードがなければ、アカウントは作成されません。
`,
  },
  registered: {
    subject: "アカウントはすでにあります",
    text: ({ organization, link }) => `こんにちは。

このメールアドレスで ${organization} のアカウントを作成しようとした人がいます。ご本人と思われます。アカウントはすでにあるため、何も変わっていません。

次のページから、このメールアドレスでログインしてください。

${link}

パスワードをお忘れの場合は、ログインページで「お忘れですか？」を選んでください。ログインできない場合は、管理者にご連絡ください。

心当たりがない場合は、このメールを無視してください。
`,
    button: "ログイン",
  },
  notice: {
    greet: (name) => `${name} 様`,
    ifNotYou:
      "心当たりがない場合は、次のページで新しいパスワードを設定し、管理者にご連絡ください。",
    withdraw:
      "それまでは、次のページで依頼を取り消すことができます。心当たりがない場合は、そこで新しいパスワードも設定し、管理者にご連絡ください。",
    button: "アカウントを開く",
    about: {
      "password.changed": {
        subject: "パスワードが変更されました",
        text: ({ organization, time }) =>
          `${organization} のあなたのアカウントのパスワードが、${time} UTC に変更されました。`,
      },
      "email.requested": {
        subject: "メールアドレスの変更が依頼されました",
        text: ({ organization, time }) =>
          `${organization} のあなたのアカウントで、${time} UTC に別のメールアドレスへの変更が依頼されました。新しいアドレスが確認されるまで、このアドレスが使われます。`,
      },
      "email.changed": {
        subject: "メールアドレスが変更されました",
        text: ({ organization, time }) =>
          `${organization} のあなたのアカウントのメールアドレスが、${time} UTC に変更されました。`,
      },
      "phone.changed": {
        subject: "電話番号が変更されました",
        text: ({ organization, time }) =>
          `${organization} のあなたのアカウントの電話番号が、${time} UTC に変更されました。`,
      },
      "phone.removed": {
        subject: "電話番号が削除されました",
        text: ({ organization, time }) =>
          `${organization} のあなたのアカウントの電話番号が、${time} UTC に削除されました。`,
      },
      "passkey.added": {
        subject: "パスキーが追加されました",
        text: ({ organization, time }) =>
          `${organization} のあなたのアカウントに、${time} UTC にパスキーが追加されました。`,
      },
      "passkey.removed": {
        subject: "パスキーが削除されました",
        text: ({ organization, time }) =>
          `${organization} のあなたのアカウントから、${time} UTC にパスキーが削除されました。`,
      },
      "externalidp.added": {
        subject: "外部アカウントが連携されました",
        text: ({ organization, time }) =>
          `${organization} のあなたのアカウントに、${time} UTC に他のプロバイダーのアカウントが連携されました。
今後はそのアカウントでもログインできます。`,
      },
      "externalidp.removed": {
        subject: "外部アカウントの連携が解除されました",
        text: ({ organization, time }) =>
          `${organization} のあなたのアカウントから、${time} UTC に他のプロバイダーのアカウントの連携が解除されました。
今後そのアカウントではログインできません。`,
      },
      "otp.added": {
        subject: "認証アプリが追加されました",
        text: ({ organization, time }) =>
          `${organization} のあなたのアカウントに、${time} UTC に認証アプリが追加されました。`,
      },
      "otp.removed": {
        subject: "認証アプリが解除されました",
        text: ({ organization, time }) =>
          `${organization} のあなたのアカウントから、${time} UTC に認証アプリが解除されました。`,
      },
      "recovery_codes.added": {
        subject: "新しいリカバリーコードが作成されました",
        text: ({ organization, time }) =>
          `${organization} のあなたのアカウントに、${time} UTC に新しいリカバリーコードが作成されました。以前のコードは無効です。`,
      },
      "recovery_code.used": {
        subject: "リカバリーコードが使用されました",
        text: ({ organization, time }) =>
          `${organization} のあなたのアカウントへのログインに、${time} UTC にリカバリーコードが使用されました。このコードはもう使えません。`,
      },
      "erasure.requested": {
        subject: "アカウントが削除されます",
        text: ({ organization, time, due }) =>
          `${organization} のあなたのアカウントの削除が、${time} UTC に依頼されました。アカウントは ${due} UTC に削除されます。`,
      },
      "erasure.withdrawn": {
        subject: "アカウントは削除されません",
        text: ({ organization, time }) =>
          `${organization} のあなたのアカウントの削除の依頼が、${time} UTC に取り消されました。アカウントはそのまま残ります。`,
      },
      "erasure.due": {
        subject: "アカウントがまもなく削除されます",
        text: ({ organization, due }) =>
          `${organization} のあなたのアカウントの削除が依頼されています。アカウントは ${due} UTC に削除されます。`,
      },
    },
  },
  why: (organization) =>
    `このメールは、${organization} のアカウントにこのメールアドレスが指定されたため、お送りしています。`,
  phone: {
    subject: "確認コード",
    text: (code, host) => `${host} の確認コードは ${code} です。誰にも教えないでください。`,
  },
};
