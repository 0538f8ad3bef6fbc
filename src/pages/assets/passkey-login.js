/* global SimpleWebAuthnBrowser */
// Asks the browser for a passkey: at once, and again whenever the button is pressed.

const form = document.getElementById("passkey-login");
const button = document.getElementById("passkey-show");
const problem = document.getElementById("passkey-error");
const status = document.getElementById("passkey-status");

/** Which text there is for what browsers throw (WebAuthn 5.1.4). */
const problems = {
  AbortError: "cancelled",
  NotAllowedError: "cancelled",
  NotSupportedError: "unsupported",
  SecurityError: "address",
};

function say(kind) {
  problem.textContent = form.dataset[kind];
  problem.hidden = false;
  problem.focus();
}

async function ask() {
  problem.hidden = true;
  button.disabled = true;
  status.textContent = status.dataset.waiting;
  try {
    const optionsJSON = JSON.parse(form.dataset.options);
    const { id, response } = await SimpleWebAuthnBrowser.startAuthentication({ optionsJSON });
    for (const [name, value = ""] of Object.entries({ id, ...response })) {
      form.elements[name].value = value;
    }
    form.submit();
  } catch (error) {
    button.disabled = false;
    status.textContent = "";
    say(problems[error.name] ?? "failed");
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  ask();
});
form.hidden = false;
if (!SimpleWebAuthnBrowser.browserSupportsWebAuthn()) {
  button.disabled = true;
  say(window.isSecureContext ? "unsupported" : "address");
} else if (problem.hidden) {
  ask();
} else {
  problem.focus();
}
