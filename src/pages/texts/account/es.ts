import type { AccountTexts } from "../../account-texts.ts";

export const account: AccountTexts = {
  title: "Su cuenta",
  navigation: "Su cuenta",
  parts: {
    overview: "Resumen",
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
