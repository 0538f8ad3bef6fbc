import { givenSandbox, telling } from "./given.ts";

/** A process of its own for sandbox.test.ts: it runs a script, closes nothing, and should end. */
const { effects } = await givenSandbox().greet(telling("1"));
process.stdout.write(JSON.stringify(effects));
