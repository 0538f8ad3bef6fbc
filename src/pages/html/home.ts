import { html } from "../../text/html.ts";
import type { Frame, Page } from "./page.ts";

/** Says what answers at this address, and where to go on: for people, programs and operators. */
export function homePage({ texts: { home }, base }: Frame): Page {
  return {
    title: home.title,
    content: html`<p>${home.about}</p>
<p>${home.people}</p>
<p><a href="${base}sessions">${home.sessions}</a></p>
<h2>${home.developers}</h2>
<p>${home.calls}</p>
<pre><code>${exampleCall}</code></pre>
<p>${home.reflection}</p>
<h2>${home.operators}</h2>
<ul>
<li><a href="${base}../healthz">/healthz</a> ${home.healthz}</li>
<li><a href="${base}../readyz">/readyz</a> ${home.readyz}</li>
</ul>
<p>${home.docs}</p>`,
  };
}

/** Under which name the service was reached is nobody's to say, so the example has none. */
const exampleCall = `POST /management/v1/projects/_search
authorization: Bearer <token>
content-type: application/json

{}`;
