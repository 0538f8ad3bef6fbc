// Tells the times of a page by the clock of the browser; without it, they are in UTC.

for (const time of document.querySelectorAll("time")) {
  const form = { dateStyle: "long", timeStyle: "short" };
  time.title = time.textContent;
  time.textContent = new Intl.DateTimeFormat(time.dataset.locale, form).format(
    new Date(time.dateTime),
  );
}
