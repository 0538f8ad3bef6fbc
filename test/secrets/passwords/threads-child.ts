import { randomBytes } from "node:crypto";
import { createPasswords } from "../../../src/secrets/passwords/passwords.ts";

/** A process of its own for threads.test.ts: it uses a thread, closes nothing, and should end. */
const passwords = createPasswords({ random: randomBytes });
const isRight = await passwords.verifyPassword("s", "$1$ssssssss$YgmLTApYTv12qgTwBoj8i/");
process.stdout.write(String(isRight));
