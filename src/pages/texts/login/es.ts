import type { LoginTexts } from "../../texts.ts";

export const login: LoginTexts = {
  title: "Iniciar sesión",
  to: (application, organization) => `en ${application} de ${organization}`,
  userName: "Nombre de usuario o correo electrónico",
  submit: "Iniciar sesión",
  wrong:
    "El nombre de usuario o la contraseña no es correcta, o hubo demasiados intentos. Compruebe ambos e inténtelo de nuevo; tras demasiados intentos, espere un cuarto de hora.",
  tooMany: "Hubo demasiados intentos desde su red. Espere un cuarto de hora.",
  cancel: "Cancelar",
  otp: {
    title: "Introducir un código de un solo uso",
    ask: "Abra su aplicación de autenticación e introduzca el código que muestra.",
    label: "Código de un solo uso",
    hint: "Seis cifras.",
    wrong: "Este código no es válido o ya se usó. Espere al siguiente.",
  },
  change: {
    title: "Elegir una contraseña nueva",
    ask: "Antes de continuar debe elegir una contraseña nueva.",
    label: "Contraseña nueva",
    submit: "Cambiar la contraseña",
    same: "Elija una contraseña que no haya tenido antes.",
  },
  proceed: {
    title: "Continuar",
    ask: "Ha iniciado sesión como esta persona.",
    submit: "Continuar",
    other: "Iniciar sesión con otra cuenta",
  },
  logout: {
    title: "Cerrar sesión",
    ask: "¿Quiere cerrar la sesión? Esto termina su sesión en este navegador para todas las aplicaciones.",
    submit: "Cerrar sesión",
    stay: "Seguir con la sesión",
  },
  loggedOut: { title: "Ha cerrado la sesión", paragraphs: ["Puede cerrar esta página."] },
  unready: {
    title: "Su cuenta aún no está configurada",
    paragraphs: [
      "Abra primero el enlace del correo que recibió y configure su cuenta. Si no tiene ese correo, pregunte a quien creó su cuenta.",
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
};
