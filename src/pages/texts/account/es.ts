import type { AccountTexts } from "../../account-texts.ts";

export const account: AccountTexts = {
  title: "Su cuenta",
  navigation: "Su cuenta",
  parts: {
    overview: "Resumen",
    passkeys: "Claves de acceso",
    authenticator: "Aplicación de autenticación",
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
  sessions: {
    about:
      "Quien tenga uno de estos navegadores actúa en su nombre. Si no reconoce alguno, cierre esa sesión y elija otra contraseña con «¿Ha olvidado la contraseña?», donde inicia sesión.",
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
  passkeys: {
    about:
      "Con una clave de acceso inicia sesión con su huella, su cara o el PIN de su dispositivo. Si pierde un dispositivo, quite aquí su clave: entonces termina todo lo que vino de sus inicios de sesión, salvo esta sesión.",
    add: "Añadir una clave de acceso",
    unnamed: "Una clave de acceso sin nombre",
    added: (time) => `Añadida el ${time}.`,
    used: (time) => `Usada por última vez el ${time}.`,
    remove: "Quitar la clave de acceso",
    only: "Esta clave de acceso es su única forma de iniciar sesión, por eso no se puede quitar. Añada otra primero.",
    full: "Se empezaron demasiadas claves de acceso sin terminarlas. Inténtelo de nuevo en una hora.",
  },
  authenticator: {
    about:
      "Una aplicación de autenticación en su teléfono muestra un código nuevo cada 30 segundos. Entonces necesita uno cada vez que inicia sesión con contraseña.",
    begin: "Configurar una aplicación",
    hasOne: "Hay una aplicación de autenticación configurada.",
    codesLeft: (count) => `Códigos de recuperación que quedan: ${count}.`,
    newCodes: "Obtener nuevos códigos de recuperación",
    another: "Configurar otra aplicación",
    remove: "Quitar la aplicación",
    scan: "Escanee este código con su aplicación de autenticación. Después introduzca las seis cifras que muestra.",
    qr: "Código QR para su aplicación de autenticación",
    byHand: "O escriba esta clave en la aplicación:",
    confirm: "Confirmar",
    wrong: "Este código no es válido. Introduzca el que la aplicación muestra ahora.",
    restart: "Empezar con una clave nueva",
    keep: "Estos son sus códigos de recuperación. Cada uno le deja entrar una vez sin la aplicación, junto con su contraseña. Imprímalos o guárdelos ahora: no se vuelven a mostrar, y los anteriores ya no son válidos.",
    kept: "Los he guardado",
    over: "La configuración tardó demasiado, o hubo demasiados códigos incorrectos. Empiece de nuevo.",
    tooMany: "Lo ha hecho demasiadas veces hoy. Inténtelo mañana.",
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
