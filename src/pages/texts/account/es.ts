import type { AccountTexts } from "../../account-texts.ts";

export const account: AccountTexts = {
  title: "Su cuenta",
  navigation: "Su cuenta",
  parts: {
    overview: "Resumen",
    profile: "Nombre e idioma",
    password: "Contraseña",
    email: "Correo electrónico",
    phone: "Número de teléfono",
    sessions: "Dónde tiene la sesión iniciada",
    data: "Sus datos",
    erasure: "Borrar su cuenta",
  },
  notLoggedIn: {
    title: "No ha iniciado sesión",
    paragraphs: [
      "Nadie ha iniciado sesión con este navegador. Inicie sesión para ver y cambiar su cuenta.",
    ],
  },
  logIn: "Iniciar sesión",
  open: "Abrir su cuenta",
  overview: {
    userName: "Nombre de usuario",
    name: "Nombre",
    email: "Correo electrónico",
    unverified: "Su correo electrónico no está verificado.",
    organization: "Organización",
    erasing: (date) => `Su cuenta se borrará el ${date}.`,
  },
  tooOften: "Hoy ha cambiado esto demasiadas veces. Inténtelo de nuevo mañana.",
  profile: {
    about: "Así le ven los demás. Los correos llegan en el idioma que elija aquí.",
    nickName: "Apodo (opcional)",
    displayName: "Nombre que ven los demás (opcional)",
    displayNameHint: "Si está vacío, los demás ven su nombre y sus apellidos.",
    language: "Idioma",
    noLanguage: "Sin elegir",
    gender: "Género",
    genders: {
      UNSPECIFIED: "Sin especificar",
      FEMALE: "Femenino",
      MALE: "Masculino",
      DIVERSE: "Otro",
    },
    submit: "Guardar",
    saved: "Sus cambios están guardados.",
    invalidLine: (max) => `Escriba aquí una línea de ${max} caracteres como máximo, o nada.`,
    invalidLanguage: "Elija uno de estos idiomas.",
  },
  password: {
    about: [
      "Escriba su contraseña actual y una nueva. Su sesión sigue abierta aquí y se cierran todas las demás.",
    ],
    first:
      "Su cuenta aún no tiene contraseña. Con una también puede iniciar sesión sin llave de acceso.",
    current: "Contraseña actual",
    wrong:
      "La contraseña actual no es correcta, o hubo demasiados intentos. Compruébela; tras demasiados intentos, espere un cuarto de hora.",
    label: "Contraseña nueva",
    submit: "Cambiar la contraseña",
    submitFirst: "Establecer la contraseña",
    saved: "Su contraseña ha cambiado. Todas las demás sesiones están cerradas.",
  },
  email: {
    about:
      "Enviamos un código a la dirección nueva. Hasta que lo escriba, su dirección sigue siendo la misma. Después se cierran todas sus demás sesiones.",
    current: "Dirección actual",
    verified: "verificada",
    unverified: "sin verificar",
    label: "Correo electrónico nuevo",
    submit: "Enviar el código",
    same: "Esta ya es su dirección.",
    requested: "Dirección nueva",
    askCode:
      "Escriba el código del correo enviado a la dirección nueva, o abra el enlace que contiene.",
    verify: "Confirmar la dirección",
    resend: "Enviar otro correo",
    withdraw: "Conservar la dirección actual",
    wrongCodeHelp:
      "Si sigue sin aceptarse, es posible que el código haya caducado o se haya introducido mal demasiadas veces. Envíe entonces otro correo.",
  },
  phone: {
    about:
      "Enviamos un código al número por SMS. Un número nuevo sustituye de inmediato al actual.",
    current: "Número actual",
    none: "Ninguno",
    verified: "verificado",
    unverified: "sin verificar",
    label: "Número de teléfono nuevo",
    hint: "Con el prefijo del país, por ejemplo +41 44 668 18 00.",
    submit: "Enviar el código",
    invalid: "Escriba un número de teléfono con el prefijo del país, por ejemplo +41 44 668 18 00.",
    same: "Este ya es su número.",
    askCode: "Escriba el código del SMS que ha recibido.",
    verify: "Confirmar el número",
    resend: "Enviar otro SMS",
    remove: "Quitar el número",
    wrongCodeHelp:
      "Si sigue sin aceptarse, es posible que el código haya caducado o se haya introducido mal demasiadas veces. Envíe entonces otro SMS.",
    tooSoon: "Se acaba de enviar un código. Espere medio minuto.",
    tooMany: "Hoy no se pueden enviar más SMS. Inténtelo de nuevo mañana.",
  },
  sessions: {
    about:
      "Quien tenga uno de estos navegadores actúa en su nombre. Si no reconoce alguno, cierre esa sesión y elija otra contraseña en la página «Contraseña».",
    since: (time, factors) => `Desde el ${time}, con: ${factors}.`,
    used: (time) => `Último uso: ${time}.`,
    program: (browser, system) => `${browser} en ${system}`,
    unknownProgram: "Un navegador desconocido",
    network: (network) => `red ${network}`,
    factors: {
      password: "contraseña",
      otp: "código de un solo uso",
      passkey: "llave de acceso",
      recovery: "código de recuperación",
    },
    gone: "Una aplicación que ya no existe",
    here: "Este navegador",
    endHere: "Cerrar la sesión aquí",
    end: "Cerrar esa sesión",
    endOthers: "Cerrar todas las demás sesiones",
    consents: "Aplicaciones que pueden actuar en su nombre",
    withdraw: "No permitirlo más",
  },
  data: {
    about: [
      "Puede descargar todo lo que este servicio guarda sobre usted: su cuenta, dónde tiene la sesión iniciada y lo que ha ocurrido, con hora y lugar.",
      "Las contraseñas, los códigos y las claves no están en el archivo. Guárdelo en un lugar seguro: trata de usted.",
    ],
    submit: "Descargar sus datos",
  },
  erasure: {
    about: [
      "Si lo pide, su cuenta se borra a los 30 días. Hasta entonces puede cambiar de opinión aquí.",
      "Ese día se cierran todas sus sesiones y se borra todo lo que se guarda sobre usted. Nadie puede recuperarlo. Las aplicaciones que ha usado pueden conservar sus propios datos.",
    ],
    holdsRoles:
      "Tiene funciones de administración, por eso su cuenta no se puede borrar. Pida primero a otra persona de la administración que se las quite.",
    submit: "Pedir que se borre la cuenta",
    requested: (date) => `Su cuenta se borrará el ${date}.`,
    withdrawable:
      "Puede anular esta petición hasta entonces. El día anterior recibirá otro correo.",
    withdraw: "Conservar su cuenta",
  },
};
