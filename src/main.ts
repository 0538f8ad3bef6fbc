import { sentenceOf } from "./config/sentence.ts";
import { runCommand } from "./operate/command-line.ts";

const say = (text: string) => {
  process.stdout.write(`${text}\n`);
};

const progress = (text: string) => {
  process.stderr.write(`${text}\n`);
};

runCommand(process.argv.slice(2), { environment: process.env, say, progress }).then(
  (exitCode) => {
    // A reader that stops early, for example head, has read enough.
    if (exitCode !== undefined) process.exitCode = exitCode;
  },
  (error: unknown) => {
    process.stderr.write(`${sentenceOf(error)}\n`);
    process.exit(1);
  },
);
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  if (code === "EPIPE") return;
  process.stderr.write(`The output could not be written: ${code}\n`);
  process.exitCode = 1;
});
