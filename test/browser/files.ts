import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What a browser gets for a path. */
export interface File {
  readonly contentType: string;
  readonly body: string | Buffer;
  /** Where it leads on to, if it is nothing but that. */
  readonly location?: string;
}

/** A web server like any other, for what a test wants browsers to see. */
export interface FileServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves what there is for a path, which browsers then keep; what there is not is 404. */
export async function serveFiles(
  fileOf: (path: string) => Promise<File | undefined>,
): Promise<FileServer> {
  const server = createServer(async ({ url = "" }, response) => {
    const file = await fileOf(url);
    if (file === undefined) return void response.writeHead(404).end();
    response.setHeader("content-type", `${file.contentType}; charset=utf-8`);
    response.setHeader("cache-control", "max-age=3600");
    if (file.location !== undefined) response.writeHead(302, { location: file.location });
    response.end(file.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
