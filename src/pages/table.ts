import type { Answer, Visit } from "./account.ts";

/** Shows a page, or takes its form. */
export type Show = (visit: Visit) => Promise<Answer>;

/** Pages by their paths; a form is sent where it came from. */
export interface PageTable {
  readonly [path: string]: { readonly get: Show; readonly post?: Show };
}

/** Which of them take a form. */
export interface Forms {
  readonly [path: string]: boolean;
}

/** The pages of these paths, which are loaded when somebody first opens one of them. */
export function loadedLater(forms: Forms, load: () => Promise<PageTable>): PageTable {
  const entries = Object.entries(forms).map(([path, hasForm]) => {
    const later =
      (verb: "get" | "post"): Show =>
      async (visit) => {
        const show = (await load())[path]?.[verb];
        if (show === undefined) throw new Error(`${path} has no page for ${verb}`);
        return await show(visit);
      };
    return [path, { get: later("get"), ...(hasForm ? { post: later("post") } : {}) }] as const;
  });
  return Object.fromEntries(entries);
}
