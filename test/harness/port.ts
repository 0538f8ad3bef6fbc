import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that systems give to who asks for any, be it to listen or to connect. */
const range = [20_000, 32_768] as const;

/**
 * A free port of this machine, for who has to know it before it is listened on. Nobody gets it
 * meanwhile who leaves the choice to the system, as all other tests do.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...range);
    const probe = createServer().listen(port, "127.0.0.1");
    try {
      await once(probe, "listening");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") continue;
      throw error;
    }
    probe.close();
    await once(probe, "close");
    return port;
  }
}
