// Offers to log in with a passkey where the browser can, with the name that is typed if any is.

const offer = document.getElementById("passkey-offer");

offer.addEventListener("submit", () => {
  offer.elements.userName.value = document.getElementById("username").value;
});
offer.hidden = window.PublicKeyCredential === undefined;
