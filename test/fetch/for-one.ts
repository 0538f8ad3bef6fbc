import { createFetcher as create, type FetcherOptions } from "../../src/fetch/fetcher.ts";

/** A fetcher of one organization, where a test names no other. */
export function createFetcher(options: FetcherOptions) {
  const { fetch } = create(options);
  return (url: string, given: Partial<Parameters<typeof fetch>[1]> = {}) =>
    fetch(url, { organization: "o", ...given });
}
