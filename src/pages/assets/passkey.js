/* global SimpleWebAuthnBrowser */
// Creates a passkey and registers it, once the button is pressed.

/** Calls a method of AccountService; what it throws has the reason of a refusal as its name. */
async function call(url, message) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(message),
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
    referrerPolicy: "no-referrer",
  });
  const answer = await response.json();
  if (response.ok) return answer;
  throw Object.assign(new Error(answer.message), { name: answer.details?.[0]?.reason });
}

async function create(form) {
  const { service, done } = form.dataset;
  const { name, ...link } = Object.fromEntries(new FormData(form));
  const { options } = await call(`${service}BeginPasskey`, link);
  const created = await SimpleWebAuthnBrowser.startRegistration({ optionsJSON: options });
  const { clientDataJSON: clientDataJson, attestationObject, transports } = created.response;
  const registration = { id: created.id, clientDataJson, attestationObject, transports };
  await call(`${service}FinishPasskey`, { ...link, registration, name: name.trim() });
  // The link is used up: there is no way back to it.
  location.replace(done);
}

globalThis.offerPasskey(create);
