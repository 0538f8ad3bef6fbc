/* global SimpleWebAuthnBrowser */
// Creates a passkey and registers it, once the button is pressed.

const form = document.getElementById("passkey-form");
const button = document.getElementById("passkey-create");
const problem = document.getElementById("passkey-error");
const status = document.getElementById("passkey-status");

/** Which text there is for a reason of the service, or for what browsers throw (WebAuthn 5.1.3). */
const problems = {
  CODE_INVALID: "code",
  INVALID_FIELDS: "code",
  PASSKEY_TAKEN: "known",
  PASSKEY_INVALID: "invalid",
  AbortError: "cancelled",
  ConstraintError: "unsupported",
  InvalidStateError: "known",
  NotAllowedError: "cancelled",
  NotSupportedError: "unsupported",
  SecurityError: "address",
};

/** Calls a method of AccountService; what it throws has the reason of a refusal as its name. */
async function call(method, message) {
  const response = await fetch(form.dataset.service + method, {
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

async function create() {
  const { name, ...link } = Object.fromEntries(new FormData(form));
  const { options } = await call("BeginPasskey", link);
  const created = await SimpleWebAuthnBrowser.startRegistration({ optionsJSON: options });
  const { clientDataJSON: clientDataJson, attestationObject, transports } = created.response;
  const registration = { id: created.id, clientDataJson, attestationObject, transports };
  await call("FinishPasskey", { ...link, registration, name: name.trim() });
}

function say(kind) {
  problem.textContent = form.dataset[kind];
  problem.hidden = false;
  problem.focus();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  problem.hidden = true;
  button.disabled = true;
  status.textContent = status.dataset.waiting;
  try {
    await create();
    // The link is used up: there is no way back to it.
    location.replace(form.dataset.done);
  } catch (error) {
    button.disabled = false;
    status.textContent = "";
    say(problems[error.name] ?? "failed");
  }
});

form.hidden = false;
if (!SimpleWebAuthnBrowser.browserSupportsWebAuthn()) {
  button.disabled = true;
  say(window.isSecureContext ? "unsupported" : "address");
}
