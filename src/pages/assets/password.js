// Shows passwords on demand, and says of a new one how long it is while it is typed.

for (const button of document.querySelectorAll(".reveal")) {
  const field = document.getElementById(button.getAttribute("aria-controls"));
  const show = (isShown) => {
    field.type = isShown ? "text" : "password";
    button.setAttribute("aria-pressed", String(isShown));
  };
  button.addEventListener("click", () => show(field.type === "password"));
  // Browsers remember what was sent as plain text.
  field.form.addEventListener("submit", () => show(false));
  button.hidden = false;
}

const password = document.getElementById("password");
const status = document.getElementById("password-status");

/** What is said changes with the answer and not with every character, which would be read aloud. */
function judge() {
  const { min, max, short, long, right } = status.dataset;
  const characters = [...password.value].length;
  const isShort = characters < Number(min);
  const isLong = characters > Number(max);
  const text = isShort ? short : isLong ? long : right;
  const told = characters === 0 ? "" : text;
  if (status.textContent !== told) status.textContent = told;
}

if (status) {
  password.addEventListener("input", judge);
  judge();
}
