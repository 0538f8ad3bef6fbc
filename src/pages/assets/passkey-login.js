/* global SimpleWebAuthnBrowser */
// Asks the browser for a passkey: at once, and again whenever the button is pressed.

async function show(form) {
  const optionsJSON = JSON.parse(form.dataset.options);
  const { id, response } = await SimpleWebAuthnBrowser.startAuthentication({ optionsJSON });
  for (const [name, value = ""] of Object.entries({ id, ...response })) {
    form.elements[name].value = value;
  }
  form.submit();
}

globalThis.offerPasskey(show, { atOnce: true });
