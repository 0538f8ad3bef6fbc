import { once } from "node:events";
import { createConnection } from "node:net";

/** Resolves when somebody listens there. */
export async function listens(port: number): Promise<void> {
  for (;;) {
    const socket = createConnection(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ECONNREFUSED") throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    } finally {
      socket.destroy();
    }
  }
}
