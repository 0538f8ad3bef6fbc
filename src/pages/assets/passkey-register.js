/* global SimpleWebAuthnBrowser */
// Creates a passkey for an account that is about to exist, once the button is pressed.

async function create(form) {
  const optionsJSON = JSON.parse(form.dataset.options);
  const { id, response } = await SimpleWebAuthnBrowser.startRegistration({ optionsJSON });
  const { clientDataJSON, attestationObject, transports = [] } = response;
  const created = { id, clientDataJSON, attestationObject, transports: transports.join(" ") };
  for (const [name, value] of Object.entries(created)) form.elements[name].value = value;
  form.submit();
}

globalThis.offerPasskey(create);
