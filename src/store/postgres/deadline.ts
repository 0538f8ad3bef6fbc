import type { Connection } from "./pool.ts";

/** What part of a time has to be over before it is set anew, which takes a statement. */
const renewed = 0.1;

/**
 * A connection in a transaction that has set `statement_timeout`, whose statements together end
 * within about that time: each of them has what is left, in milliseconds.
 */
export function endingTogether(
  connection: Connection,
  timeoutMs: number,
  leftMs: () => number,
): Connection {
  let setMs = timeoutMs;
  return {
    query: async (text, values) => {
      // Zero would be no bound.
      const left = Math.max(1, Math.floor(leftMs()));
      if (left <= setMs * (1 - renewed)) {
        await connection.query(`SET LOCAL statement_timeout = ${left}`);
        setMs = left;
      }
      return await connection.query(text, values);
    },
  };
}
