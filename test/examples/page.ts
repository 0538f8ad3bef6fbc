import { readFileSync } from "node:fs";
import { copyFile, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { installPackages } from "../harness/packages.ts";
import { freePort } from "../harness/port.ts";
import { type Example, root, startExample } from "./example.ts";

/** The pages of `docs/start`, done as they are written, with their libraries as they are. */

/** A page that somebody does: its application runs, and what it prints is read. */
export interface Done extends Example {
  /** Where the application is. */
  readonly here: string;
}

/** Who does a page, and where. */
export interface Reader {
  /** Below it Node finds what `installLibraries` has installed there. */
  readonly directory: string;
  /** The service, and the token of its owner. */
  readonly url: string;
  readonly token: string;
}

/** Installs what the pages install; answers why it could not. */
export async function installLibraries(directory: string): Promise<string | undefined> {
  for (const name of ["package.json", "package-lock.json"]) {
    await copyFile(join(root, "examples/start", name), join(directory, name));
  }
  return await installPackages(directory, { mayInstall: true });
}

/** Types what the page says, in the directory of the service; the change has it go wrong. */
export async function follow(
  { directory, url, token }: Reader,
  page: string,
  change: (text: string) => string,
): Promise<Done> {
  const port = await freePort();
  const project = join(directory, String(port), "iam");
  await mkdir(project, { recursive: true });
  await symlink(join(root, "examples"), join(project, "examples"));
  const text = change(read(page))
    .replaceAll("3000", String(port))
    // Another try needs other names.
    .replaceAll(/"(name|userName)": "/g, `"$1": "${port}-`);
  const env = { IAM_URL: url, IAM_TOKEN: token, NEXT_TELEMETRY_DISABLED: "1" };
  const example = startExample(["sh", "-c", scriptOf(text, port)], { cwd: project, env });
  return { ...example, here: `http://localhost:${port}` };
}

/** What the page has people install, each with the version that it names. */
export function installsOf(page: string): readonly (readonly [name: string, version: string])[] {
  const [, line = ""] = /npm install (.+)/.exec(read(page)) ?? [];
  return [...line.matchAll(/(\S+)@(\S+)/g)].map(([, name = "", version = ""]) => [name, version]);
}

const read = (page: string) => readFileSync(join(root, "docs/start", page), "utf8");

/** The page as one script: what is typed, the files that are written, and the program that runs. */
function scriptOf(markdown: string, port: number): string {
  const typed = "^```sh\\n(?<typed>.*?)^```$";
  // What it installs is there already.
  const begun = "^```bash\\n(?<begun>.*?) && npm install [^\\n]+\\n```$";
  const written = "^This is `(?<file>[^`]+)`:\\n\\n```\\w+\\n(?<text>.*?)^```$";
  const run = "^\\*\\*3\\. Run it\\*\\* with `(?<run>[^`]+)`";
  const steps = [...markdown.matchAll(new RegExp([typed, begun, written, run].join("|"), "gms"))];
  const lines = steps.map(({ groups = {} }, index) => {
    if (groups.typed !== undefined) return groups.typed;
    if (groups.begun !== undefined) return `${groups.begun} > npm.log\n`;
    if (groups.run === undefined) {
      return `cat > '${groups.file}' <<'END-OF-FILE'\n${groups.text}END-OF-FILE\n`;
    }
    const isLast = index === steps.length - 1;
    const answers = `curl --silent --output /dev/null http://localhost:${port}`;
    return `${groups.run} &\n${isLast ? "" : `until ${answers}; do sleep 0.1; done\n`}`;
  });
  return `set -e\n${lines.join("")}wait $!\n`;
}
