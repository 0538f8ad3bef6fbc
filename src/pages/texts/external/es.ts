import { html } from "../../../text/html.ts";
import type { ExternalTexts } from "../../external-texts.ts";

export const external: ExternalTexts = {
  offer: (provider) => html`Continuar con ${provider}`,
  google: "Iniciar sesión con Google",
  arrived: (account, provider) => html`Ha iniciado sesión en ${provider} como ${account}.`,
  choose: {
    title: "Todavía no hay ninguna cuenta vinculada",
    ask: "Si tiene una cuenta aquí, inicie sesión en ella para vincular las dos. Si no, cree una cuenta.",
    link: "Tengo una cuenta aquí",
  },
  linking: (account, provider) =>
    html`Inicie sesión en su cuenta de aquí. ${account} (${provider}) quedará vinculada a ella.`,
  leave: "No vincular",
  create: {
    title: "Complete su cuenta",
    ask: "Compruebe sus datos. Después, su cuenta estará lista.",
  },
  problems: {
    denied: {
      title: "No ha iniciado sesión",
      paragraphs: [
        "El inicio de sesión en el otro servicio se canceló. Inténtelo de nuevo o inicie sesión de otra forma.",
      ],
    },
    unreachable: {
      title: "El otro servicio no responde",
      paragraphs: ["Espere un momento e inténtelo de nuevo, o inicie sesión de otra forma."],
    },
    unusable: {
      title: "No ha iniciado sesión",
      paragraphs: [
        "El otro servicio no confirmó quién es usted. Inténtelo de nuevo o inicie sesión de otra forma. Si vuelve a ocurrir, póngase en contacto con los responsables de este servicio.",
      ],
    },
    stale: {
      title: "No ha iniciado sesión",
      paragraphs: [
        "El otro servicio no indica que le haya pedido iniciar sesión de nuevo, y este inicio de sesión lo exige. Inténtelo de nuevo o inicie sesión de otra forma.",
      ],
    },
    unknown: {
      title: "No hay ninguna cuenta vinculada",
      paragraphs: [
        "Ninguna cuenta de aquí está vinculada a esta, y usted no puede crear una. Consulte a la persona que administra su cuenta.",
      ],
    },
    unlinked: {
      title: "La cuenta no se vinculó",
      paragraphs: [
        "Pertenece a otra persona, o su organización no lo permite. Puede iniciar sesión sin ella.",
      ],
    },
    tooMany: {
      title: "Inténtelo más tarde",
      paragraphs: [
        "Se crearon demasiadas cuentas desde su red. Espere una hora e inténtelo de nuevo.",
      ],
    },
  },
  trial: {
    verified: "Correo electrónico verificado",
    title: "El proveedor funciona",
    name: "Nombre visible",
    nothing: "Esto fue una prueba. Nadie ha iniciado sesión y no se ha guardado nada.",
  },
  other: "Iniciar sesión de otra forma",
};
