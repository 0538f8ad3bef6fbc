import type { Texts } from "../translation.ts";

/** What messages say in Spanish. */
export const es: Texts = {
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

Esta dirección de correo se ha indicado para su cuenta en ${organization}.
Abra este enlace para verificarla:

${link}

Su código es ${code}. El enlace y el código son válidos hasta el ${until} UTC.

Si no tiene ninguna cuenta allí, no abra el enlace: no tiene que hacer nada.
`,
  },
  emailRequest: {
    subject: "Confirme su nueva dirección de correo",
    text: ({ name, organization, code, link, until }) => `Hola, ${name}:

Alguien, probablemente usted, quiere usar esta dirección de correo para una cuenta en
${organization}. Abra este enlace para confirmarla:

${link}

Su código es ${code}. El enlace y el código son válidos hasta el ${until} UTC.

Si no ha sido usted, no abra el enlace: no tiene que hacer nada.
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
  registration: {
    subject: "Su código para crear una cuenta",
    text: ({ organization, code, until }) => `Hola:

Alguien, probablemente usted, quiere crear una cuenta en ${organization} con
esta dirección de correo. Para confirmarla, introduzca este código en la página
en la que empezó:

${code}

El código es válido hasta el ${until} UTC. No se lo dé a nadie.

Si no fue usted, no tiene que hacer nada: sin el código no se crea ninguna cuenta.
`,
  },
  registered: {
    subject: "Ya tiene una cuenta",
    text: ({ organization, link }) => `Hola:

Alguien, probablemente usted, intentó crear una cuenta en ${organization} con
esta dirección de correo. Ya existe una, así que no se ha cambiado nada.
Inicie sesión con esta dirección de correo:

${link}

Si ha olvidado la contraseña, elija «¿Olvidó la contraseña?» en la página de
inicio de sesión. Si no puede iniciar sesión, consulte a su administrador.

Si no fue usted, no tiene que hacer nada.
`,
    button: "Iniciar sesión",
  },
  notice: {
    greet: (name) => `Hola, ${name}:`,
    ifNotYou: `Si no ha sido usted, elija una contraseña nueva en esta página
y avise a su administrador:`,
    withdraw: `Hasta entonces puede retirar la solicitud en esta página. Si no la ha hecho usted,
elija allí también una contraseña nueva y avise a su administrador:`,
    button: "Abrir su cuenta",
    about: {
      "password.changed": {
        subject: "Se ha cambiado su contraseña",
        text: ({ organization, time }) =>
          `La contraseña de su cuenta en ${organization} se cambió el
${time} UTC.`,
      },
      "email.requested": {
        subject: "Se ha pedido otra dirección de correo",
        text: ({ organization, time }) =>
          `Se pidió otra dirección de correo para su cuenta en ${organization} el
${time} UTC. Hasta que se confirme, esta dirección sigue en uso.`,
      },
      "email.changed": {
        subject: "Se ha cambiado su correo electrónico",
        text: ({ organization, time }) =>
          `La dirección de correo de su cuenta en ${organization} se cambió el
${time} UTC.`,
      },
      "phone.changed": {
        subject: "Se ha cambiado su número de teléfono",
        text: ({ organization, time }) =>
          `El número de teléfono de su cuenta en ${organization} se cambió el
${time} UTC.`,
      },
      "phone.removed": {
        subject: "Se ha eliminado su número de teléfono",
        text: ({ organization, time }) =>
          `El número de teléfono de su cuenta en ${organization} se eliminó el
${time} UTC.`,
      },
      "passkey.added": {
        subject: "Se ha añadido una clave de acceso",
        text: ({ organization, time }) =>
          `Se añadió una clave de acceso a su cuenta en ${organization} el
${time} UTC.`,
      },
      "passkey.removed": {
        subject: "Se ha eliminado una clave de acceso",
        text: ({ organization, time }) =>
          `Se eliminó una clave de acceso de su cuenta en ${organization} el
${time} UTC.`,
      },
      "externalidp.added": {
        subject: "Se ha vinculado otra cuenta",
        text: ({ organization, time }) =>
          `Se vinculó una cuenta de otro proveedor a su cuenta en ${organization} el
${time} UTC. A partir de ahora puede iniciar sesión con ella.`,
      },
      "externalidp.removed": {
        subject: "Se ha desvinculado una cuenta",
        text: ({ organization, time }) =>
          `Se desvinculó una cuenta de otro proveedor de su cuenta en ${organization} el
${time} UTC. Ya no puede iniciar sesión con ella.`,
      },
      "otp.added": {
        subject: "Se ha añadido una aplicación de autenticación",
        text: ({ organization, time }) =>
          `Se añadió una aplicación de autenticación a su cuenta en ${organization} el
${time} UTC.`,
      },
      "otp.removed": {
        subject: "Se ha eliminado su aplicación de autenticación",
        text: ({ organization, time }) =>
          `La aplicación de autenticación de su cuenta en ${organization} se eliminó el
${time} UTC.`,
      },
      "recovery_codes.added": {
        subject: "Tiene nuevos códigos de recuperación",
        text: ({ organization, time }) =>
          `Se crearon nuevos códigos de recuperación para su cuenta en ${organization} el
${time} UTC. Los códigos anteriores ya no son válidos.`,
      },
      "recovery_code.used": {
        subject: "Se ha usado un código de recuperación",
        text: ({ organization, time }) =>
          `Se usó un código de recuperación para iniciar sesión en su cuenta en ${organization} el
${time} UTC. Ya no es válido.`,
      },
      "erasure.requested": {
        subject: "Su cuenta se borrará",
        text: ({ organization, time, due }) =>
          `El borrado de su cuenta en ${organization} se solicitó el
${time} UTC. La cuenta se borrará el ${due} UTC.`,
      },
      "erasure.withdrawn": {
        subject: "Su cuenta no se borrará",
        text: ({ organization, time }) =>
          `La solicitud de borrar su cuenta en ${organization} se retiró el
${time} UTC. Su cuenta se conserva.`,
      },
      "erasure.due": {
        subject: "Su cuenta se borrará pronto",
        text: ({ organization, due }) =>
          `Se solicitó el borrado de su cuenta en ${organization}.
La cuenta se borrará el ${due} UTC.`,
      },
    },
  },
  why: (organization) =>
    `Recibe este mensaje porque se ha indicado su dirección para una cuenta en ${organization}.`,
  phone: {
    subject: "Su código",
    text: (code, host) => `Su código para ${host} es ${code}. No lo comparta con nadie.`,
  },
};
