/* global SimpleWebAuthnBrowser, sendPasskey */
// Asks the browser for a passkey: at once, and again whenever the button is pressed.

async function show(form) {
  const optionsJSON = JSON.parse(form.dataset.options);
  sendPasskey(form, await SimpleWebAuthnBrowser.startAuthentication({ optionsJSON }));
}

globalThis.offerPasskey(show, { atOnce: true });
