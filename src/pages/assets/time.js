// Tells the times of a page in the time zone of the browser; without it, they are in UTC.

const { lang } = document.documentElement;
const locale = navigator.languages.find((tag) => tag.split("-")[0] === lang) ?? lang;
const format = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle: "short" });

for (const time of document.querySelectorAll("time")) {
  time.title = time.textContent;
  time.textContent = format.format(new Date(time.dateTime));
}
