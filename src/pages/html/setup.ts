import { html } from "../../text/html.ts";
import { codesToKeep, secretToScan } from "./account/authenticator.ts";
import { cancel, form, type LoginTarget, leadsTo, otpField, smallForm } from "./login.ts";
import type { Frame, Page } from "./page.ts";

/** Says to somebody who logs in that an authenticator app has to be set up. */
export function setupOfferPage(
  target: LoginTarget,
  { isOver = false }: { readonly isOver?: boolean },
) {
  return (frame: Frame): Page => {
    const { login, account } = frame.texts;
    const { over } = account.authenticator;
    return {
      title: login.setup.title,
      isProblem: isOver,
      content: html`${leadsTo(target, frame)}
${isOver ? html`<p class="error" role="alert">${over}</p>\n` : undefined}<p>${login.setup.ask}</p>
${form("setup", target, frame)}
<button type="submit">${account.authenticator.begin}</button>
</form>
${cancel(target, frame)}`,
    };
  };
}

/** Shows the secret of the app, and asks for its first code; once more after a wrong one. */
export function setupCodePage(
  target: LoginTarget,
  shown: { readonly shared: string; readonly uri: string } | "wrong",
) {
  return (frame: Frame): Page => {
    const { login, account } = frame.texts;
    const { confirm, wrong, restart } = account.authenticator;
    const isWrong = shown === "wrong";
    return {
      title: login.setup.title,
      isProblem: isWrong,
      content: html`${leadsTo(target, frame)}
${isWrong ? undefined : html`${secretToScan(shown, frame)}\n`}${form("setup-code", target, frame)}
${otpField(frame, isWrong ? wrong : undefined)}
<button type="submit">${confirm}</button>
</form>
${isWrong ? html`${smallForm({ step: "setup" }, restart, target, frame)}\n` : undefined}${cancel(
  target,
  frame,
)}`,
    };
  };
}

/** Shows the recovery codes that come with the app, and leads on. */
export function setupCodesPage(
  target: LoginTarget,
  { codes }: { readonly codes: readonly string[] },
) {
  return (frame: Frame): Page => ({
    title: frame.texts.login.setup.done,
    content: html`${codesToKeep(codes, frame)}
${form("setup-done", target, frame)}
<button type="submit">${frame.texts.account.authenticator.kept}</button>
</form>`,
  });
}

/** Leads somebody on who has set the app up, and has come back to the page. */
export function setupDonePage(target: LoginTarget) {
  return (frame: Frame): Page => ({
    title: frame.texts.login.setup.done,
    content: html`${leadsTo(target, frame)}
${form("setup-done", target, frame)}
<button type="submit">${frame.texts.login.proceed.submit}</button>
</form>
${cancel(target, frame)}`,
  });
}
