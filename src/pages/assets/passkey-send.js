// Sends what the browser answers who was asked for a passkey.

globalThis.sendPasskey = (form, { id, response }) => {
  for (const [name, value = ""] of Object.entries({ id, ...response })) {
    form.elements[name].value = value;
  }
  form.submit();
};
