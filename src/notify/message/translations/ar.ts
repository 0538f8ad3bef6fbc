import type { Texts } from "../translation.ts";

/**
 * What messages say in Arabic. Each line begins with an Arabic word, which has mail programs write
 * it from right to left.
 */
export const ar: Texts = {
  initialization: {
    subject: "إعداد حسابك",
    text: ({ name, organization, code, link, until }) => `مرحبًا ${name}،

أُنشئ لك حساب لدى ${organization}.
افتح هذا الرابط لإعداده:

${link}

رمزك هو ${code}. الرابط والرمز صالحان حتى ${until} UTC.

إذا لم تكن تتوقع هذه الرسالة، فيمكنك تجاهلها.
`,
  },
  email: {
    subject: "تأكيد بريدك الإلكتروني",
    text: ({ name, organization, code, link, until }) => `مرحبًا ${name}،

أُضيف عنوان البريد الإلكتروني هذا إلى حسابك لدى ${organization}.
افتح هذا الرابط لتأكيده:

${link}

رمزك هو ${code}. الرابط والرمز صالحان حتى ${until} UTC.

إذا لم يكن لديك حساب هناك، فلا تفتح الرابط. يمكنك تجاهل هذه الرسالة.
`,
  },
  emailRequest: {
    subject: "تأكيد بريدك الإلكتروني الجديد",
    text: ({ name, organization, code, link, until }) => `مرحبًا ${name}،

طلب شخص ما، وهو أنت على الأرجح، استخدام هذا العنوان لحساب لدى
${organization}. افتح هذا الرابط لتأكيده:

${link}

رمزك هو ${code}. الرابط والرمز صالحان حتى ${until} UTC.

إذا لم تكن أنت من طلب ذلك، فلا تفتح الرابط. يمكنك تجاهل هذه الرسالة.
`,
  },
  reset: {
    subject: "إعادة تعيين كلمة المرور",
    text: ({ name, organization, link, until }) => `مرحبًا ${name}،

طلب شخص ما، وهو أنت على الأرجح، إعادة تعيين كلمة مرور حسابك لدى
${organization}. افتح هذا الرابط لاختيار كلمة مرور جديدة:

${link}

يعمل الرابط مرة واحدة حتى ${until} UTC. سيؤدي استخدامه إلى تسجيل خروجك من جميع أجهزتك.

إذا لم تكن أنت من طلب ذلك، فيمكنك تجاهل هذه الرسالة: ستبقى كلمة مرورك كما هي.
`,
  },
  passkey: {
    subject: "إنشاء مفتاح مرور",
    text: ({ name, organization, link, until }) => `مرحبًا ${name}،

استخدم هذا الرابط لإنشاء مفتاح مرور لحسابك لدى ${organization}.
افتحه على الجهاز الذي تسجّل الدخول منه:

${link}

يعمل الرابط مرة واحدة حتى ${until} UTC.

إذا لم تكن تتوقع هذه الرسالة، فلا تفتح الرابط. يمكنك تجاهلها.
`,
  },
  registration: {
    subject: "رمز إنشاء حسابك",
    text: ({ organization, code, until }) => `مرحبًا،

يريد شخص ما، وهو أنت على الأرجح، إنشاء حساب لدى ${organization}
بهذا العنوان. لتأكيده، أدخل هذا الرمز في الصفحة التي بدأت منها:

${code}

الرمز صالح حتى ${until} UTC. لا تعطه لأحد.

إذا لم تكن أنت من طلب ذلك، فيمكنك تجاهل هذه الرسالة: لن يُنشأ أي حساب دون الرمز.
`,
  },
  registered: {
    subject: "لديك حساب بالفعل",
    text: ({ organization, link }) => `مرحبًا،

حاول شخص ما، وهو أنت على الأرجح، إنشاء حساب لدى ${organization}
بهذا العنوان. يوجد حساب بالفعل، لذلك لم يتغير شيء.
سجّل الدخول بهذا العنوان:

${link}

إذا نسيت كلمة المرور، فاختر «هل نسيت كلمة المرور؟» في صفحة تسجيل الدخول.
إذا تعذّر عليك تسجيل الدخول، فتواصل مع المسؤول.

إذا لم تكن أنت من حاول ذلك، فيمكنك تجاهل هذه الرسالة.
`,
    button: "تسجيل الدخول",
  },
  notice: {
    greet: (name) => `مرحبًا ${name}،`,
    ifNotYou: `إذا لم تكن أنت من فعل ذلك، فاختر كلمة مرور جديدة في هذه الصفحة،
وأبلغ المسؤول عن حسابك:`,
    withdraw: `يمكنك حتى ذلك الحين سحب الطلب في هذه الصفحة. إذا لم تكن أنت من طلب ذلك،
فاختر فيها كلمة مرور جديدة أيضًا، وأبلغ المسؤول عن حسابك:`,
    button: "فتح حسابك",
    about: {
      "password.changed": {
        subject: "تم تغيير كلمة مرورك",
        text: ({ organization, time }) =>
          `تم تغيير كلمة مرور حسابك لدى ${organization} في
${time} UTC.`,
      },
      "email.requested": {
        subject: "طُلب عنوان بريد إلكتروني جديد",
        text: ({ organization, time }) =>
          `طُلب عنوان بريد إلكتروني جديد لحسابك لدى ${organization} في
${time} UTC. يبقى هذا العنوان مستخدمًا حتى يتم تأكيد الجديد.`,
      },
      "email.changed": {
        subject: "تم تغيير بريدك الإلكتروني",
        text: ({ organization, time }) =>
          `تم تغيير عنوان البريد الإلكتروني لحسابك لدى ${organization} في
${time} UTC.`,
      },
      "phone.changed": {
        subject: "تم تغيير رقم هاتفك",
        text: ({ organization, time }) =>
          `تم تغيير رقم هاتف حسابك لدى ${organization} في
${time} UTC.`,
      },
      "phone.removed": {
        subject: "تمت إزالة رقم هاتفك",
        text: ({ organization, time }) =>
          `تمت إزالة رقم هاتف حسابك لدى ${organization} في
${time} UTC.`,
      },
      "passkey.added": {
        subject: "تمت إضافة مفتاح مرور",
        text: ({ organization, time }) =>
          `تمت إضافة مفتاح مرور إلى حسابك لدى ${organization} في
${time} UTC.`,
      },
      "passkey.removed": {
        subject: "تمت إزالة مفتاح مرور",
        text: ({ organization, time }) =>
          `تمت إزالة مفتاح مرور من حسابك لدى ${organization} في
${time} UTC.`,
      },
      "externalidp.added": {
        subject: "تم ربط حساب آخر",
        text: ({ organization, time }) =>
          `تم ربط حساب لدى مزوّد آخر بحسابك لدى ${organization} في
${time} UTC. يمكنك تسجيل الدخول به من الآن.`,
      },
      "externalidp.removed": {
        subject: "تم إلغاء ربط حساب",
        text: ({ organization, time }) =>
          `تم إلغاء ربط حساب لدى مزوّد آخر بحسابك لدى ${organization} في
${time} UTC. لم يعد بإمكانك تسجيل الدخول به.`,
      },
      "otp.added": {
        subject: "تمت إضافة تطبيق مصادقة",
        text: ({ organization, time }) =>
          `تمت إضافة تطبيق مصادقة إلى حسابك لدى ${organization} في
${time} UTC.`,
      },
      "otp.removed": {
        subject: "تمت إزالة تطبيق المصادقة",
        text: ({ organization, time }) =>
          `تمت إزالة تطبيق المصادقة من حسابك لدى ${organization} في
${time} UTC.`,
      },
      "recovery_codes.added": {
        subject: "لديك رموز استرداد جديدة",
        text: ({ organization, time }) =>
          `أُنشئت رموز استرداد جديدة لحسابك لدى ${organization} في
${time} UTC. لم تعد الرموز السابقة صالحة.`,
      },
      "recovery_code.used": {
        subject: "استُخدم رمز استرداد",
        text: ({ organization, time }) =>
          `استُخدم رمز استرداد لتسجيل الدخول إلى حسابك لدى ${organization} في
${time} UTC. لم يعد هذا الرمز صالحًا.`,
      },
      "erasure.requested": {
        subject: "سيُحذف حسابك",
        text: ({ organization, time, due }) =>
          `طُلب حذف حسابك لدى ${organization} في
${time} UTC. سيُحذف الحساب في ${due} UTC.`,
      },
      "erasure.withdrawn": {
        subject: "لن يُحذف حسابك",
        text: ({ organization, time }) =>
          `تم سحب طلب حذف حسابك لدى ${organization} في
${time} UTC. سيبقى حسابك.`,
      },
      "erasure.due": {
        subject: "سيُحذف حسابك قريبًا",
        text: ({ organization, due }) =>
          `طُلب حذف حسابك لدى ${organization}.
سيُحذف الحساب في ${due} UTC.`,
      },
    },
  },
  why: (organization) => `تلقّيت هذه الرسالة لأن عنوانك ذُكر لحساب لدى ${organization}.`,
  phone: {
    subject: "رمزك",
    text: (code, host) => `رمزك لموقع ${host} هو ${code}. لا تشاركه مع أي شخص.`,
  },
};
