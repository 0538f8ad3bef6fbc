import { Agent, type ClientRequest, type OutgoingHttpHeaders, request } from "node:http";

/** An answer in the service's own JSON dialect, with its plain body where it refuses. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly text: string;
  /** `OK`, or the canonical code and the reason, for example `7 PERMISSION_DENIED`. */
  readonly outcome: string;
}

export interface HttpCall {
  readonly path: string;
  /** A header with several values goes out as several header lines. */
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
}

/** Sends plain HTTP/1.1, because no client library repeats headers or leaves bodies unfinished. */
export interface Http {
  /** With `endless`, the end of the body is never sent. */
  send(call: HttpCall & { readonly endless?: boolean }): Promise<HttpAnswer>;
  /** Resolves when the server has begun to read the call; its body goes out with `finish`. */
  hold(call: HttpCall): Promise<{ finish(): Promise<HttpAnswer> }>;
  close(): void;
}

export function createHttp(port: number): Http {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const begin = ({ path, headers }: HttpCall, framing: OutgoingHttpHeaders) =>
    request({
      host: "127.0.0.1",
      port,
      agent,
      method: "POST",
      path,
      headers: { "content-type": "application/json", ...headers, ...framing },
    });

  return {
    close: () => agent.destroy(),
    async send({ endless = false, ...call }) {
      const { body = "" } = call;
      const length = { "content-length": Buffer.byteLength(body) };
      const sending = begin(call, endless ? {} : length);
      const answer = answerTo(sending);
      if (!endless) {
        sending.end(body);
        return answer;
      }
      sending.flushHeaders();
      if (body !== "") sending.write(body);
      try {
        return await answer;
      } finally {
        sending.destroy();
      }
    },
    async hold(call) {
      const sending = begin(call, { expect: "100-continue", "transfer-encoding": "chunked" });
      const answer = answerTo(sending);
      const begun = new Promise((resolve) => sending.once("continue", resolve));
      sending.flushHeaders();
      await begun;
      return {
        finish() {
          sending.end(call.body);
          return answer;
        },
      };
    },
  };
}

export function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}

function answerTo(sending: ClientRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    sending.on("error", reject);
    sending.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const status = response.statusCode ?? 0;
        resolve({ status, headers: response.headers, text, outcome: outcomeOf(status, text) });
      });
    });
  });
}

function outcomeOf(status: number, text: string): string {
  if (status === 200) return "OK";
  const { code, details } = JSON.parse(text) as {
    readonly code: number;
    readonly details: readonly { readonly reason?: string }[];
  };
  return `${code} ${details[0]?.reason}`;
}
