import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What a Dockerfile says of the image, and the directory in which its steps were done. */
export interface Image {
  /** What its last stage begins with. */
  readonly base: string;
  /** Its files, without those of the base. */
  readonly root: string;
  readonly env: { readonly [name: string]: string };
  readonly user: string;
  readonly command: readonly [string, ...string[]];
  readonly healthCheck: readonly [string, ...string[]];
}

/** A stage under way. */
interface Stage {
  readonly base: string;
  readonly root: string;
  cwd: string;
  readonly said: Map<string, string>;
  readonly env: { [name: string]: string };
}

/** Does the steps of a Dockerfile of the project, each stage in a directory of its own. */
export function replay(file: string, project: string, below: string): Image {
  const text = readFileSync(file, "utf8").replaceAll(/^#.*\n/gm, "");
  const steps = text
    .replaceAll("\\\n", "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const step of steps) {
    const [, name = "", rest = ""] = /^(\w+) +(.*)$/.exec(step) ?? [];
    if (name === "FROM") {
      const [base = "", , as = "last"] = rest.split(" ");
      const root = mkdtempSync(join(below, "stage-"));
      chmodSync(root, 0o755);
      stage = { base, root, cwd: "/", said: new Map(), env: {} };
      stages.set(as, stage);
    } else if (stage === undefined) throw new Error(`there is no stage yet: ${step}`);
    else take(stage, name, rest, { project, stages });
  }
  if (stage === undefined) throw new Error("there is no stage");
  const { base, root, env, said } = stage;
  const words = (name: string): string[] =>
    JSON.parse(said.get(name)?.replace(/^CMD /, "") ?? "[]");
  const [program = "", ...args] = [...words("ENTRYPOINT"), ...words("CMD")];
  const [checker = "", ...checkerArgs] = words("HEALTHCHECK");
  return {
    ...{ base, root, env, user: said.get("USER") ?? "root" },
    command: [program, ...args],
    healthCheck: [checker, ...checkerArgs],
  };
}

interface Around {
  readonly project: string;
  readonly stages: ReadonlyMap<string, Stage>;
}

function take(stage: Stage, name: string, rest: string, { project, stages }: Around): void {
  const { root, said, env } = stage;
  if (name === "WORKDIR") {
    stage.cwd = rest;
    mkdirSync(join(root, rest), { recursive: true });
  } else if (name === "COPY") {
    const [flags, paths] = [rest.match(/--\S+/g) ?? [], rest.replaceAll(/--\S+ /g, "").split(" ")];
    const from = flags.find((flag) => flag.startsWith("--from="))?.slice("--from=".length);
    const source = from === undefined ? project : (stages.get(from)?.root ?? "");
    const to = paths.pop() ?? "";
    const target = join(root, to.startsWith("/") ? "" : stage.cwd, to);
    copy(
      paths.map((path) => join(source, path)),
      target,
      to.endsWith("/"),
    );
  } else if (name === "RUN") {
    const here = rest.replaceAll(/(?<= )\/(?=\w)/g, `${root}/`);
    run("sh", ["-euc", here], join(root, stage.cwd));
  } else if (name === "ENV") {
    const [, variable = "", value = ""] = /^(\w+)=(.*)$/.exec(rest) ?? [];
    env[variable] = value;
  } else said.set(name, rest);
}

/** As Docker copies: of a directory what is in it, of files the files. */
function copy(sources: readonly string[], target: string, isInto: boolean): void {
  mkdirSync(isInto ? target : join(target, ".."), { recursive: true });
  const how = isInto ? "--target-directory" : "--no-target-directory";
  run("cp", ["--archive", how, ...(isInto ? [target, ...sources] : [...sources, target])]);
}

function run(command: string, args: readonly string[], cwd = "/"): void {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ends with ${status}: ${stderr}`);
}
