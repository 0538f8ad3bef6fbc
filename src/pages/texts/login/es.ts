import { html } from "../../../text/html.ts";
import type { LoginTexts } from "../../texts.ts";
import { external } from "../external/es.ts";

export const login: LoginTexts = {
  title: "Iniciar sesión",
  to: (application, organization) => html`${application} de ${organization}`,
  toAccount: "Su cuenta",
  again: "Vuelva a iniciar sesión para cambiar esto.",
  userName: "Nombre de usuario o correo electrónico",
  submit: "Iniciar sesión",
  wrong: "Nombre de usuario o contraseña incorrectos.",
  wrongHelp: "Tras demasiados intentos, espere un cuarto de hora.",
  tooMany: "Hubo demasiados intentos desde su red. Espere un cuarto de hora.",
  cancel: "Cancelar",
  or: "o",
  factors: {
    password: "contraseña",
    otp: "código de un solo uso",
    passkey: "clave de acceso",
    recovery: "código de recuperación",
    external: "cuenta externa",
  },
  passkey: {
    offer: "Iniciar sesión con una clave de acceso",
    title: "Iniciar sesión con una clave de acceso",
    ask: "Su dispositivo le pide su huella dactilar, su rostro o su PIN.",
    submit: "Intentarlo de nuevo",
    other: "Iniciar sesión con una contraseña",
    wrong:
      "Esta clave de acceso no se ha aceptado. Inténtelo de nuevo o inicie sesión con su contraseña.",
    needsScript:
      "Las claves de acceso necesitan JavaScript. Actívelo para esta página o inicie sesión con su contraseña.",
    problems: {
      cancelled:
        "No se ha usado ninguna clave de acceso: aquí no hay ninguna para este servicio, se ha cancelado o ha tardado demasiado.",
      address:
        "En esta dirección no se pueden usar claves de acceso. Comuníqueselo a los responsables de este servicio.",
      unsupported:
        "Este navegador o dispositivo no puede usar claves de acceso. Inicie sesión con su contraseña.",
      failed: "No ha funcionado. Compruebe su conexión e inténtelo de nuevo.",
    },
  },
  otp: {
    title: "Introducir un código de un solo uso",
    ask: "Abra su aplicación de autenticación e introduzca el código que muestra.",
    label: "Código de un solo uso",
    hint: "Seis cifras.",
    wrong: "Este código no es válido o ya se usó. Espere al siguiente.",
    tooManyInDay:
      "Hubo demasiados códigos incorrectos en este navegador. Inténtelo mañana o en otro navegador.",
  },
  recovery: {
    offer: "Usar un código de recuperación",
    title: "Introduzca un código de recuperación",
    ask: "Introduzca uno de los códigos de recuperación que guardó. Cada uno sirve una sola vez.",
    label: "Código de recuperación",
    hint: "16 letras y cifras. Los espacios, los guiones y las mayúsculas no importan.",
    wrong:
      "Este código no es válido o ya se ha utilizado. Compruebe lo que ha escrito o introduzca otro código.",
    other: "Introducir un código de un solo uso",
    none: {
      title: "No tiene códigos de recuperación",
      paragraphs: [
        "No queda ninguno o nunca los ha creado. Pida a quien administra su cuenta que elimine su aplicación de autenticación. Después podrá iniciar sesión con su contraseña y configurar otra aplicación.",
      ],
    },
  },
  setup: {
    title: "Configure una aplicación de autenticación",
    ask: "La organización pide también un código de un solo uso. Instale una aplicación de autenticación en su teléfono y configúrela ahora.",
    done: "Su aplicación de autenticación está configurada",
  },
  change: {
    title: "Elegir una contraseña nueva",
    ask: "Antes de continuar debe elegir una contraseña nueva.",
    label: "Contraseña nueva",
    submit: "Cambiar la contraseña",
    same: "Elija una contraseña que no haya tenido antes.",
  },
  forgotten: {
    link: "¿Olvidó la contraseña?",
    title: "¿Ha olvidado la contraseña?",
    ask: "Diga quién es. Recibirá un correo con un enlace para elegir otra contraseña.",
    submit: "Enviar correo",
    back: "Volver al inicio de sesión",
    tooMany: "Desde su red se han pedido demasiados correos. Espere una hora.",
    sent: {
      title: "Mire su correo",
      paragraphs: [
        "Si tiene aquí una cuenta con contraseña, va en camino un correo a su dirección. Su enlace sirve una sola vez, durante una hora; de varios correos, solo cuenta el último.",
        "¿No llega nada? Mire en el correo no deseado y compruebe lo que ha escrito. Si todavía no ha configurado su cuenta, abra el correo que recibió entonces. Si no, pregunte a quien se ocupa de su cuenta.",
      ],
    },
    of: (person, organization) => html`${person} de ${organization}`,
    choose:
      "Se cerrará entonces la sesión de quien la tenga abierta como usted, en cualquier dispositivo.",
    changed: {
      title: "Su contraseña ha cambiado",
      paragraphs: ["A partir de ahora, inicie sesión con la nueva."],
    },
    elsewhere: "Vuelva a la aplicación que quiere usar e inicie sesión desde allí.",
  },
  external,
  register: {
    offer: "Crear una cuenta",
    title: "Crear una cuenta",
    emailHint: "Recibirá allí un correo con un código.",
    domains: (domains) =>
      html`Recibirá allí un correo con un código. Dominios permitidos: ${domains}.`,
    wrongDomain: "Introduzca una dirección de uno de los dominios permitidos.",
    tooMany: "Se han pedido demasiados correos. Vuelva a intentarlo mañana.",
    submit: "Continuar",
    code: {
      title: "Revise su correo",
      ask: (email) => html`Se ha enviado un correo a ${email}.`,
      inMail:
        "Si contiene un código, introdúzcalo aquí. Si dice que ya tiene una cuenta, inicie sesión.",
      help: "Tras cinco códigos incorrectos tendrá que empezar de nuevo. De varios correos, solo vale el último.",
      again: "Enviar otro correo",
      other: "Cambiar la dirección de correo",
    },
    way: {
      title: "Elija cómo iniciar sesión",
      ask: "Su dirección de correo está confirmada. Un paso más y su cuenta estará lista.",
      address: "Un nombre de usuario con @ debe ser su propia dirección de correo.",
      submit: "Crear cuenta",
      passkey: "Usar una clave de acceso en su lugar",
      other: "Volver",
      needsScript: "Las claves de acceso necesitan JavaScript. Actívelo para esta página.",
      unsupported: "Este navegador o dispositivo no puede crear claves de acceso.",
    },
    held: {
      title: "Ya tiene una cuenta",
      paragraphs: ["Existe una cuenta con esta dirección de correo. Inicie sesión con ella."],
    },
    over: {
      title: "Este código ya no es válido",
      paragraphs: [
        "Ha caducado, o se introdujo un código incorrecto demasiadas veces. No se ha creado ninguna cuenta.",
      ],
    },
    beginAgain: "Empezar de nuevo",
  },
  proceed: {
    title: "Continuar",
    ask: "Ha iniciado sesión como esta persona.",
    away: "La aplicación podrá consultar quién es usted también cuando no esté.",
    submit: "Continuar",
    other: "Iniciar sesión con otra cuenta",
  },
  consent: {
    title: "Permitir el acceso",
    ask: (application, organization) =>
      html`${application} de ${organization} quiere actuar en su nombre.`,
    site: "Se continuará en",
    you: "Ha iniciado sesión como",
    list: "Si lo permite, la aplicación podrá:",
    identity: "saber quién es usted",
    grants: {
      api: "ver, cambiar y eliminar en este servicio, en su nombre, todo lo que usted puede ver, cambiar y eliminar",
      profile: "ver su nombre, su idioma y su género",
      email: "ver su dirección de correo",
      phone: "ver su número de teléfono",
      away: "hacerlo también cuando usted no esté",
    },
    trust: "Permítalo solo si conoce la aplicación y confía en sus responsables.",
    submit: "Permitir",
    deny: "No permitir",
  },
  device: {
    title: "Conectar un dispositivo",
    enter:
      "Introduzca el código que muestra su dispositivo. No introduzca nunca un código que le haya enviado alguien.",
    label: "Código del dispositivo",
    hint: "Ocho letras. Los guiones y las mayúsculas no importan.",
    wrong:
      "Este código no es válido, ha caducado o ya se ha utilizado. Compruebe lo que muestra su dispositivo.",
    submit: "Continuar",
    consent: {
      title: "¿Iniciar sesión en el otro dispositivo?",
      ask: (application, organization) =>
        html`${application} de ${organization} quiere iniciar su sesión en otro dispositivo.`,
      trust:
        "Permítalo solo si lo ha empezado usted, en un dispositivo que tiene delante. Si alguien le ha enviado el código o un enlace, no lo permita.",
    },
    allowed: {
      title: "Su dispositivo está conectado",
      paragraphs: [
        "Vuelva a su dispositivo. Continuará solo en unos segundos. Puede cerrar esta página.",
      ],
    },
    denied: {
      title: "Su dispositivo no está conectado",
      paragraphs: [
        "No lo ha permitido, o no puede usar esta aplicación. Puede cerrar esta página.",
      ],
    },
    over: {
      title: "Este código ya no sirve",
      paragraphs: ["Ha caducado o ya se ha utilizado. Pida un código nuevo en su dispositivo."],
    },
    again: "Introducir otro código",
  },
  logout: {
    title: "Cerrar sesión",
    ask: "¿Quiere cerrar la sesión? Esto termina su sesión en este navegador para todas las aplicaciones.",
    submit: "Cerrar sesión",
    stay: "Seguir con la sesión",
    refused: "La aplicación no puede cerrar su sesión así",
  },
  onward: {
    title: "Un momento, por favor",
    ask: "Se le está redirigiendo. Si no ocurre nada, pulse «Continuar».",
    submit: "Continuar",
  },
  loggedOut: { title: "Ha cerrado la sesión", paragraphs: ["Puede cerrar esta página."] },
  unready: {
    title: "Su cuenta aún no está configurada",
    paragraphs: [
      "Abra primero el enlace del correo que recibió y configure su cuenta. Si no tiene ese correo, pregunte a quien creó su cuenta.",
    ],
  },
  notAllowed: {
    title: "No puede iniciar sesión de esta manera",
    paragraphs: [
      "Las reglas de una organización no lo permiten. Inicie sesión de otra manera, por ejemplo con una clave de acceso. Si no tiene otra manera, pregunte a la persona que administra su cuenta.",
    ],
  },
  expired: {
    title: "Este inicio de sesión ha terminado",
    paragraphs: [
      "Tardó demasiado, ya se completó o comenzó en otro navegador. Vuelva a la aplicación e inicie sesión de nuevo desde allí.",
    ],
  },
  refused: {
    title: "La aplicación no puede iniciar su sesión así",
    paragraphs: [
      "No fue culpa suya: lo que pidió la aplicación no se entendió o no está permitido. Comunique a sus responsables lo que figura abajo.",
    ],
  },
  refusedDetails: {
    uri: "URI enviada",
    clientId: "Identificador del cliente",
    register: (list, operation) =>
      `La aplicación no tiene esta URI; se comparan carácter por carácter. Para registrarla, añádala a ${list} con ${operation}.`,
  },
};
