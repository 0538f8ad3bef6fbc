import type { Texts } from "../translation.ts";

/** What messages say in Spanish. */
export const es: Texts = {
  locale: "es",
  initialization: {
    subject: "Configure su cuenta",
    text: ({ name, organization, code, link, until }) => `Hola, ${name}:

Se ha creado una cuenta para usted en ${organization}.
Abra este enlace para configurarla:

${link}

Su código es ${code}. El enlace y el código son válidos hasta el ${until} UTC.

Si no esperaba este mensaje, no tiene que hacer nada.
`,
  },
  email: {
    subject: "Verifique su correo electrónico",
    text: ({ name, organization, code, link, until }) => `Hola, ${name}:

Esta es ahora la dirección de correo de su cuenta en ${organization}.
Abra este enlace para verificarla:

${link}

Su código es ${code}. El enlace y el código son válidos hasta el ${until} UTC.

Si no tiene ninguna cuenta allí, no abra el enlace: no tiene que hacer nada.
`,
  },
  reset: {
    subject: "Elija una contraseña nueva",
    text: ({ name, organization, link, until }) => `Hola, ${name}:

Alguien, probablemente usted, ha pedido una contraseña nueva para su cuenta en
${organization}. Abra este enlace para elegirla:

${link}

Sirve una sola vez, hasta el ${until} UTC.
Se cerrará entonces la sesión de quien la tenga abierta con su cuenta.

Si no ha sido usted, no tiene que hacer nada: su contraseña sigue siendo la misma.
`,
  },
  passkey: {
    subject: "Cree una clave de acceso",
    text: ({ name, organization, link, until }) => `Hola, ${name}:

Con este enlace puede crear una clave de acceso para su cuenta en ${organization}.
Ábralo en el dispositivo con el que inicia sesión:

${link}

Sirve una sola vez, hasta el ${until} UTC.

Si no esperaba este mensaje, no abra el enlace: no tiene que hacer nada.
`,
  },
  phone: {
    subject: "Su código",
    text: (code) => `Su código es ${code}. No lo comparta con nadie.`,
  },
};
