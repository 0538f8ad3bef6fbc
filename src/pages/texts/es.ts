import type { Texts } from "../texts.ts";
import { account } from "./account/es.ts";
import { login } from "./login/es.ts";

export const es: Texts = {
  error: "Error",
  skip: "Saltar al contenido",
  languages: "Idioma",
  code: {
    label: "Código",
    hint: "Seis letras y cifras. No importan las mayúsculas, las minúsculas ni los espacios.",
    wrong: "Este código no es válido. Compruébelo e inténtelo de nuevo.",
  },
  initialization: {
    title: "Configure su cuenta",
    askCode: "Introduzca el código del correo electrónico que ha recibido.",
    submitCode: "Continuar",
    wrongCodeHelp:
      "Si sigue sin aceptarse, es posible que el código ya se haya utilizado, haya caducado o se haya introducido mal demasiadas veces. Pida entonces un nuevo correo a quien creó su cuenta.",
    choosePassword: "Elija una contraseña y su cuenta estará lista.",
    keepPassword: "Confirme que esta cuenta es suya. Su contraseña sigue siendo la misma.",
    submit: "Configurar la cuenta",
    submitKept: "Confirmar la cuenta",
  },
  password: {
    label: "Contraseña",
    show: "Mostrar la contraseña",
    rule: (min, max) =>
      `De ${min} a ${max} caracteres. Sirven bien unas cuantas palabras que solo usted combinaría.`,
    wrong: (min, max) => `La contraseña debe tener de ${min} a ${max} caracteres.`,
    common: "Elija otra contraseña: esta es su nombre o una que muchas personas utilizan.",
    tooShort: (min) => `Aún es demasiado corta: al menos ${min} caracteres.`,
    tooLong: (max) => `Demasiado larga: como máximo ${max} caracteres.`,
    longEnough: "Longitud suficiente. Se rechazan las contraseñas comunes.",
  },
  login,
  account,
  owner: {
    title: "Convertirse en propietario",
    explanation:
      "Esta cuenta posee toda la instancia: las organizaciones, las personas y las aplicaciones.",
    userName: "Nombre de usuario",
    email: "Correo electrónico",
    emailHint:
      "Compruébelo bien: quien lea el correo allí puede elegir una contraseña nueva para usted.",
    firstName: "Nombre",
    lastName: "Apellidos",
    submit: "Crear la cuenta",
    taken: "Ya existe este nombre de usuario, o uno que se le parece. Elija otro.",
    invalidName: (max) => `Escriba aquí una línea de 1 a ${max} caracteres.`,
    invalidEmail: "Escriba una sola dirección de correo, por ejemplo ada@example.com.",
  },
  passkey: {
    title: "Cree una clave de acceso",
    explanation:
      "Con una clave de acceso, usted inicia sesión con la huella, la cara o el PIN de su dispositivo, sin contraseña. Su huella y su cara no salen nunca del dispositivo.",
    name: "Nombre de la clave de acceso (opcional)",
    nameHint: "Para reconocerla más adelante, por ejemplo «Mi teléfono».",
    submit: "Crear la clave de acceso",
    waiting: "Siga las instrucciones de su dispositivo.",
    needsScript:
      "Una clave de acceso solo se puede crear con JavaScript. Actívelo para esta página o abra el enlace en otro navegador.",
    problems: {
      cancelled:
        "No se ha creado ninguna clave de acceso: se canceló o tardó demasiado. Inténtelo de nuevo.",
      known:
        "Ya hay una clave de acceso para esta cuenta en este dispositivo. No necesita ninguna otra.",
      address:
        "En esta dirección no se pueden crear claves de acceso. Abra el enlace exactamente como lo recibió; si no sirve, avise a quien gestiona este servicio.",
      unsupported:
        "Este navegador o dispositivo no puede crear claves de acceso. Abra el enlace en otro.",
      code: "Este enlace ya no es válido: ya se ha utilizado o ha caducado. Pida otro a quien se lo envió.",
      invalid: "La clave de acceso no se ha aceptado. Inténtelo de nuevo.",
      failed: "No ha funcionado. Compruebe su conexión e inténtelo de nuevo.",
    },
  },
  phone: {
    title: "Verifique su número de teléfono",
    askCode: "Introduzca el código del SMS que ha recibido.",
    submit: "Verificar",
    wrongCodeHelp:
      "Si sigue sin aceptarse, es posible que el código ya se haya utilizado, haya caducado o se haya introducido mal demasiadas veces. Pida entonces un nuevo código a quien creó su cuenta.",
  },
  email: {
    title: "Verifique su correo electrónico",
    ask: "Confirme que ha recibido el correo con este enlace y que la cuenta que indica es suya.",
    askCode: "Introduzca el código del correo electrónico que ha recibido.",
    submit: "Verificar",
    wrongCodeHelp:
      "Si sigue sin aceptarse, es posible que el código ya se haya utilizado, haya caducado o se haya introducido mal demasiadas veces. Pida entonces un nuevo correo a quien gestiona su cuenta.",
  },
  done: {
    account: {
      title: "Su cuenta está lista",
      paragraphs: ["Todo está configurado."],
    },
    passkey: {
      title: "Su clave de acceso está lista",
      paragraphs: ["Ya está asociada a su cuenta. Puede cerrar esta página."],
    },
    phone: {
      title: "Su número de teléfono está verificado",
      paragraphs: ["Gracias. Puede cerrar esta página."],
    },
    email: {
      title: "Su correo electrónico está verificado",
      paragraphs: ["Gracias. Puede cerrar esta página."],
    },
    owner: {
      title: "La instancia ya es suya",
      paragraphs: ["Inicie sesión con su nombre de usuario y su contraseña."],
    },
    something: { title: "Listo", paragraphs: ["Puede cerrar esta página."] },
    phoneLeft: "Su número de teléfono aún no está verificado. El código se le ha enviado por SMS.",
    verifyPhone: "Verificar el número de teléfono",
  },
  home: {
    title: "Gestión de identidades y accesos",
    link: "Ir a la página de inicio",
    about: "Aquí inicia sesión en las aplicaciones de su organización, y ve y cambia su cuenta.",
    people:
      "¿Le han enviado aquí para configurar su cuenta? Abra entonces el enlace completo, tal como lo recibió.",
  },
  overLink: {
    title: "Este enlace ya no es válido",
    reasons: {
      code: [
        "Ya se ha utilizado, ha caducado o se ha introducido un código erróneo demasiadas veces.",
        "Si su cuenta está configurada, no tiene que hacer nada más. Si no, pida un nuevo correo a quien creó su cuenta.",
      ],
      passkeyCode: [
        "Ya se ha utilizado, ha caducado o se ha abierto con un código erróneo demasiadas veces.",
        "Si ya ha creado su clave de acceso, no tiene que hacer nada más. Si no, pida otro enlace a quien se lo envió.",
      ],
      emailCode: [
        "Ya se ha utilizado, ha caducado, hay un correo más reciente o se ha introducido un código erróneo demasiadas veces.",
        "Si su correo electrónico está verificado, no tiene que hacer nada más. Si no, pida un nuevo correo a quien gestiona su cuenta.",
      ],
      resetCode: [
        "Ya se ha utilizado, tiene más de una hora o se ha enviado un correo más reciente.",
        "Vuelva a la aplicación y pida otro correo en la página donde inicia sesión.",
      ],
      ownerLink: [
        "Ya se ha utilizado, tiene más de un día o hay uno más reciente.",
        "Quien gestiona este servicio crea otro con la orden owner-link.",
      ],
    },
  },
  problems: {
    link: {
      title: "Este enlace no está completo",
      paragraphs: [
        "Falta una parte del enlace o se ha modificado por el camino. Ábralo de nuevo desde su correo o cópielo entero en la barra de direcciones.",
      ],
    },
    missing: {
      title: "Esta página no existe",
      paragraphs: ["Compruebe la dirección o abra de nuevo el enlace desde su correo."],
    },
    form: {
      title: "No ha funcionado",
      paragraphs: [
        "No se ha podido entender lo que ha enviado su navegador. Vuelva a la página anterior e inténtelo de nuevo.",
      ],
    },
    later: {
      title: "Inténtelo de nuevo dentro de un momento",
      paragraphs: [
        "El servicio no puede responder ahora mismo. No se ha perdido nada: vuelva a la página anterior e inténtelo de nuevo.",
      ],
    },
    fault: {
      title: "Algo ha fallado",
      paragraphs: [
        "No ha sido culpa suya. Inténtelo de nuevo más tarde. Si vuelve a ocurrir, comunique el identificador de la solicitud de abajo a quien gestiona este servicio.",
      ],
    },
  },
  requestId: "Identificador de la solicitud",
};
