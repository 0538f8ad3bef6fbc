import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Where and as whom a test calls. */
export interface Access {
  readonly port: number;
  readonly authorization: string;
}

export const callPath = "/iam.management.v1.ManagementService/AddOrg";
export const firstHalf = '{"name": "sent in ';
export const secondHalf = 'two halves"}';

/** A whole request that is easy to answer. */
export const get = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";

export async function connected(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/**
 * A connection with a call in flight over HTTP/1.1: the server has begun to serve it and waits for
 * the second half of its body.
 */
export async function callInFlight({ port, authorization }: Access): Promise<Socket> {
  const socket = await connected(port);
  const begun = once(socket, "data");
  const head = [
    `POST ${callPath} HTTP/1.1`,
    "host: localhost",
    `authorization: ${authorization}`,
    "content-type: application/json",
    `content-length: ${firstHalf.length + secondHalf.length}`,
    "expect: 100-continue",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  const [answer] = await begun;
  if (!String(answer).startsWith("HTTP/1.1 100 ")) throw new Error(`no call: ${answer}`);
  socket.write(firstHalf);
  return socket;
}

/** All that comes until the connection ends. */
export async function textOf(socket: Socket): Promise<string> {
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  return text;
}
