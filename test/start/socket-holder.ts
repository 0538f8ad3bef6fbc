// Holds a listening socket as systemd does, and starts the service with it again and again, until
// it ends with another code than 0. It accepts no connection itself: it only waits for the service.

import { spawnSync } from "node:child_process";
import { createServer } from "node:net";

const server = createServer();
server.listen(0, "127.0.0.1", () => {
  const { fd } = Reflect.get(server, "_handle") as { readonly fd: number };
  const handOver = 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"';
  const service = [process.execPath, ...process.argv.slice(2)];
  for (;;) {
    const { status } = spawnSync("/bin/sh", ["-c", handOver, "sh", ...service], {
      stdio: ["ignore", "inherit", "inherit", fd],
    });
    if (status !== 0) process.exit(status ?? 1);
  }
});
