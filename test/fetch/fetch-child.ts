import { createFetcher } from "./for-one.ts";
import { allowing } from "./listener.ts";

/** Fetches the URL given first and writes the body: a process whose environment a test chooses. */
const [, , url = ""] = process.argv;
const fetch = createFetcher({ allow: allowing("127.0.0.0/8"), http: true });
process.stdout.write(await fetch(url));
