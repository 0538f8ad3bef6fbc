/** A browser without scripts: it keeps cookies by path, follows redirects and sends forms. */
export interface Browser {
  /** The page that it shows, or where it was sent that is not of this service. */
  readonly page: Page;
  open(url: string): Promise<Page>;
  /** Fills in a form of the page, the one of the step that is named, and sends it. */
  send(filled: { readonly [name: string]: string }, step?: string): Promise<Page>;
  /** Has it hold a cookie for all paths that somebody else has put there. */
  hold(name: string, value: string): void;
  /** Cookies by name with their paths, as they were set. */
  readonly cookies: ReadonlyMap<string, Cookie>;
}

export interface Page {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

export interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly attributes: string;
}

const hopsMax = 20;

/** What browsers say of a form that a page of the service sends. */
export const ofOwnPage = { "sec-fetch-site": "same-origin" } as const;

/** Opens one at a server; `site` is where its pages say that they are from. */
export function openBrowser(
  origin: string,
  headers: { readonly [name: string]: string } = {},
  site = origin,
): Browser {
  /** By path and name. */
  const jar = new Map<string, Cookie>();
  let page: Page = { url: "about:blank", status: 0, text: "", headers: new Headers() };

  function keep(response: Response, url: URL): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split("; ");
      const [name = "", value = ""] = pair.split(/=(.*)/s);
      const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? url.pathname;
      const isOver = attributes.some((one) => /^expires=Thu, 01 Jan 1970/i.test(one));
      const key = `${path} ${name}`;
      if (isOver) jar.delete(key);
      else jar.set(key, { name, value, path, attributes: attributes.join("; ") });
    }
  }

  function cookiesFor({ pathname }: URL): string {
    return [...jar.values()]
      .filter(({ path }) => path === "/" || pathname === path || pathname.startsWith(`${path}/`))
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ");
  }

  async function go(url: URL, init: RequestInit = {}): Promise<Page> {
    let [at, request] = [url, init];
    for (let hops = 0; hops < hopsMax; hops += 1) {
      if (at.origin !== origin) {
        page = { url: at.href, status: 0, text: "", headers: new Headers() };
        return page;
      }
      const cookie = cookiesFor(at);
      const response = await fetch(at, {
        ...request,
        redirect: "manual",
        headers: {
          ...headers,
          ...(request.method === "POST" ? { origin: site } : {}),
          ...(cookie === "" ? {} : { cookie }),
        },
      });
      keep(response, at);
      const location = response.headers.get("location");
      const text = await response.text();
      if (location !== null) {
        at = new URL(location, at);
        request = {};
        continue;
      }
      page = { url: at.href, status: response.status, text, headers: response.headers };
      // What a script of the library does.
      if (!text.includes("document.forms[0].submit()")) return page;
      const form = formOf(page);
      if (new URL(form.action, at).origin !== origin) return page;
      at = new URL(form.action, at);
      request = { method: "POST", body: new URLSearchParams(form.fields) };
    }
    throw new Error(`too many redirects: ${at}`);
  }

  return {
    get page() {
      return page;
    },
    open: (url) => go(new URL(url, origin)),
    send: (filled, step) => {
      const { action, fields } = formOf(page, step);
      const body = new URLSearchParams({ ...fields, ...filled });
      return go(new URL(action, page.url), { method: "POST", body });
    },
    hold: (name, value) => void jar.set(`/ ${name}`, { name, value, path: "/", attributes: "" }),
    get cookies() {
      return new Map([...jar.values()].map((one) => [one.name, one]));
    },
  };
}

/** The heading of a page. */
export function heading({ text }: Pick<Page, "text">): string | undefined {
  return /<h1>([^<]*)<\/h1>/.exec(text)?.[1];
}

/** What a page says is wrong. */
export function errorIn({ text }: Pick<Page, "text">): string | undefined {
  return /role="alert">([^<]*)</.exec(text)?.[1];
}

/** The first form of a page that is sent, or the one of a step, with what it carries along. */
export function formOf({ text }: Pick<Page, "text">, step?: string) {
  const forms = [...text.matchAll(/<form [^>]*method="post"[^>]*>.*?<\/form>/gs)].map(([form]) => {
    const [, action = ""] = /<form [^>]*action="([^"]*)"/.exec(form) ?? [];
    const hidden = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
    const fields = [...hidden].map(
      ([, name = "", value = ""]) => [name, unescaped(value)] as const,
    );
    return { action: unescaped(action), fields: Object.fromEntries(fields) };
  });
  const wanted = forms.find(({ fields }) => step === undefined || fields.step === step);
  if (wanted === undefined) throw new Error(`the page has no such form: ${text}`);
  return wanted;
}

function unescaped(text: string): string {
  return text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
}
