// Shows the password on demand, and says whether it is long enough while it is typed.

const password = document.getElementById("password");
const status = document.getElementById("password-status");
const show = document.getElementById("show-password");

/** What is said changes with the answer and not with every character, which would be read aloud. */
function judge() {
  const { min, max, short, long, right } = status.dataset;
  const characters = [...password.value].length;
  const isShort = characters < Number(min);
  const isLong = characters > Number(max);
  const text = isShort ? short : isLong ? long : right;
  const told = characters === 0 ? "" : text;
  if (status.textContent !== told) status.textContent = told;
  status.classList.toggle("is-right", characters > 0 && !isShort && !isLong);
}

function reveal() {
  password.type = show.checked ? "text" : "password";
}

password.addEventListener("input", judge);
show.addEventListener("change", reveal);
// Browsers remember what was sent as plain text.
password.form.addEventListener("submit", () => {
  show.checked = false;
  reveal();
});
document.getElementById("show-password-choice").hidden = false;
judge();
reveal();
