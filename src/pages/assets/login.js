/* global SimpleWebAuthnBrowser, sendPasskey */
// Takes along the name that is typed, to a passkey and where a forgotten password is asked for, and
// offers the passkey where the browser can, by a button and where the name is typed.

const typed = document.getElementById("username");

for (const kept of document.querySelectorAll('input[type="hidden"][name="userName"]')) {
  kept.form.addEventListener("submit", () => {
    kept.value = typed.value;
  });
}
const offer = document.getElementById("passkey-offer");
if (offer !== null) offer.hidden = window.PublicKeyCredential === undefined;

/** Waits, without a prompt, until somebody chooses a passkey among the names. */
async function awaitChoice(form) {
  if (!(await SimpleWebAuthnBrowser.browserSupportsWebAuthnAutofill())) return;
  const optionsJSON = JSON.parse(form.dataset.options);
  const asked = { optionsJSON, useBrowserAutofill: true };
  sendPasskey(form, await SimpleWebAuthnBrowser.startAuthentication(asked));
}

// Who cancels it types the name, or takes the button, which says what is wrong.
const autofill = document.getElementById("passkey-autofill");
if (autofill !== null) awaitChoice(autofill).catch(() => {});
