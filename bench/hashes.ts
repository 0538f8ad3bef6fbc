import { randomBytes } from "node:crypto";
import { hash } from "@node-rs/argon2";
import { createPasswords } from "../src/secrets/passwords/passwords.ts";
import { answerParent } from "./child.ts";

/**
 * How many passwords the machine hashes when nothing else is done: the library that the service
 * uses, with what the service promises (Argon2id, 19 MiB, 2 passes, 1 lane), and nothing of ours.
 */
const password = Buffer.from("correct horse battery staple");
const saltBytes = 16;
// The numbers of the package's enumerations, which exist for the type checker only.
const cost = { algorithm: 2, version: 1, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

const hashOnce = () => hash(password, { ...cost, outputLen: 32, salt: randomBytes(saltBytes) });

/** The algorithm, its costs and the lengths, as an encoded hash says them. */
const shapeOf = (encoded: string) => encoded.replace(/\$[^$]+\$[^$]+$/, ` ${encoded.length}`);

const passwords = createPasswords({ random: randomBytes });
const service = shapeOf(await passwords.hashPassword(password.toString()));
await passwords.close();
const own = shapeOf(await hashOnce());
if (own !== service) throw new Error(`the service hashes differently: ${service}, not ${own}`);

const answers = {
  /** Hashes per second, so many at once. */
  run: async ({ inFlight, forMs }: { readonly inFlight: number; readonly forMs: number }) => {
    const latencies: number[] = [];
    const before = process.cpuUsage();
    const started = performance.now();
    const keepHashing = async () => {
      for (let from = started; from - started < forMs; from = performance.now()) {
        await hashOnce();
        latencies.push(performance.now() - from);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, keepHashing));
    const rate = (latencies.length / (performance.now() - started)) * 1000;
    const { user, system } = process.cpuUsage(before);
    latencies.sort((a, b) => a - b);
    const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? 0;
    return { rate, p50Ms: at(0.5), p99Ms: at(0.99), cpuMicros: (user + system) / latencies.length };
  },
};

/** What can be asked of the process of bare hashes. */
export type HashesAnswers = typeof answers;

answerParent(answers, () => {});
