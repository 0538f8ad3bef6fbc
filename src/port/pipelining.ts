import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** Bounds the requests of each HTTP/1.1 connection that wait for their answers. */
export interface Pipelining {
  /**
   * Whether the request may be served. With one too many the connection takes no more of them, and
   * is told so when those before are answered.
   */
  admit(request: IncomingMessage, response: ServerResponse): boolean;
  /**
   * Makes this answer the last of its connection (RFC 9112, 9.6): what comes behind its request is
   * not served, because nobody would get the answer.
   */
  endWith(request: IncomingMessage, response: ServerResponse): void;
  /**
   * Ends the connection with this answer when all requests that had arrived completely are
   * answered: what is wrong with the next one must not be taken for the answer to them. The answer
   * to HEAD has no body.
   */
  endAfter(socket: Duplex, last: Buffer, verb?: string): void;
}

/**
 * The bound, and the last answer to a peer that exceeds it. Node reads on while answers are being
 * made and serves whatever it reads at once: it stops only for answers that are not taken.
 */
export function createPipelining(requestsMax: number, tooMany: () => Buffer): Pipelining {
  const due = new WeakMap<Duplex, Set<ServerResponse>>();
  const full = new WeakSet<Duplex>();

  function begin(socket: Duplex): Set<ServerResponse> {
    const responses = new Set<ServerResponse>();
    due.set(socket, responses);
    // Some versions of Node, 24.0 among them, close only the answer that is being written.
    socket.once("close", () => {
      setImmediate(() => {
        for (const left of responses) Object.assign(left, { destroyed: true }).emit("close");
      });
    });
    return responses;
  }

  function endAfter(socket: Duplex, last: Buffer, verb = ""): void {
    const bytes = verb === "HEAD" ? last.subarray(0, last.indexOf(headEnd) + headEnd.length) : last;
    const end = () => {
      if (socket.writable) socket.end(bytes);
      else socket.destroy();
    };
    const waiting = [...(due.get(socket) ?? [])].filter(({ req }) => req.complete);
    const before = waiting.at(-1);
    if (before === undefined) end();
    else before.once("close", end);
  }

  return {
    admit({ socket, method }, response) {
      const responses = due.get(socket) ?? begin(socket);
      if (responses.size >= requestsMax && !full.has(socket)) {
        full.add(socket);
        endAfter(socket, tooMany(), method);
      }
      if (full.has(socket)) {
        // What has been read already comes nevertheless, and so may what answers make room for.
        socket.pause();
        return false;
      }
      responses.add(response);
      response.once("close", () => responses.delete(response));
      return true;
    },
    endWith({ socket }, response) {
      response.shouldKeepAlive = false;
      full.add(socket);
    },
    endAfter,
  };
}

const headEnd = "\r\n\r\n";
