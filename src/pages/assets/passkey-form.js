/* global SimpleWebAuthnBrowser */
// What the forms for passkeys have in common: one attempt at a time, and what is said if it fails.

const problem = document.getElementById("passkey-error");
const status = document.getElementById("passkey-status");
const form = problem.closest("form");
const button = form.querySelector("button");

/** Which text there is for a reason of the service, or for what browsers throw (WebAuthn 5.1). */
const problems = {
  CODE_INVALID: "code",
  INVALID_FIELDS: "code",
  LIMIT_REACHED: "full",
  PASSKEY_TAKEN: "known",
  PASSKEY_INVALID: "invalid",
  AbortError: "cancelled",
  ConstraintError: "unsupported",
  InvalidStateError: "known",
  NotAllowedError: "cancelled",
  NotSupportedError: "unsupported",
  SecurityError: "address",
};

function say(kind) {
  problem.textContent = form.dataset[kind] ?? form.dataset.failed;
  problem.hidden = false;
  problem.focus();
}

function enable() {
  button.disabled = false;
  status.textContent = "";
}

/** Shows the form, and does the work whenever it is sent; at once too, unless something is said. */
globalThis.offerPasskey = (work, { atOnce = false } = {}) => {
  async function attempt() {
    problem.hidden = true;
    button.disabled = true;
    status.textContent = status.dataset.waiting;
    try {
      await work(form);
    } catch (error) {
      enable();
      say(problems[error.name] ?? "failed");
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt();
  });
  form.hidden = false;
  if (!SimpleWebAuthnBrowser.browserSupportsWebAuthn()) {
    button.disabled = true;
    return say(window.isSecureContext ? "unsupported" : "address");
  }
  // Who goes back may find the page as it was left, while it was waiting.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) enable();
  });
  if (!problem.hidden) problem.focus();
  else if (atOnce) attempt();
};
