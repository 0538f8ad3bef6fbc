import { html } from "../../text/html.ts";
import { attributesOf, errorOf } from "./field.ts";
import { notice } from "./notice.ts";
import type { Frame, Page } from "./page.ts";

/** Why the code of a device is not taken. */
export type WrongDevice = "wrong" | "tooMany";

/** Asks for the code that a device shows; a link may fill it in, and the person sends it. */
export function devicePage({
  code,
  wrong,
}: {
  readonly code: string;
  readonly wrong?: WrongDevice;
}) {
  return (frame: Frame): Page => {
    const { device, tooMany } = frame.texts.login;
    const error = wrong && { wrong: device.wrong, tooMany }[wrong];
    return {
      title: device.title,
      isProblem: wrong !== undefined,
      content: html`<p>${device.enter}</p>
<form id="device-form" action="${frame.base}../device" method="post">
<label for="code">${device.label}</label>
<p class="hint" id="code-hint">${device.hint}</p>
${errorOf("code", error)}<input class="code" id="code" name="user_code" type="text" required
 value="${code}" dir="ltr" autocomplete="off" autocapitalize="characters" autocorrect="off"
 spellcheck="false" maxlength="64" ${attributesOf("code", error, true)}>
<button type="submit">${device.submit}</button>
</form>`,
    };
  };
}

/** How a login on a device has ended. */
export type DeviceNotice = "allowed" | "denied" | "over";

export function deviceNoticePage(what: DeviceNotice) {
  return (frame: Frame): Page => {
    const { device } = frame.texts.login;
    const again = html`<p><a href="${frame.base}../device">${device.again}</a></p>`;
    return {
      ...notice(device[what], what === "over" ? again : undefined),
      isProblem: what === "over",
    };
  };
}
