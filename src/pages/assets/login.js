// Takes along the name that is typed, to a passkey and where a forgotten password is asked for, and
// offers the passkey where the browser can.

const typed = document.getElementById("username");

for (const kept of document.querySelectorAll('input[type="hidden"][name="userName"]')) {
  kept.form.addEventListener("submit", () => {
    kept.value = typed.value;
  });
}
const offer = document.getElementById("passkey-offer");
if (offer !== null) offer.hidden = window.PublicKeyCredential === undefined;
