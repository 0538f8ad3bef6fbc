import type { Writable } from "node:stream";

/**
 * Has a connection write at the end of a turn of the event loop. The answers of one turn then leave
 * one behind the other, and the process that receives them is woken once: on one machine, to wake
 * it for each answer takes the sender a quarter of the time of a call.
 */
export function writeAtEndOfTurn(connection: Writable): void {
  const { _write: write, _writev: writev } = connection;
  connection._write = (...given) => atEnd(() => write.apply(connection, given));
  if (writev) connection._writev = (...given) => atEnd(() => writev.apply(connection, given));
}

/**
 * Writes at once what waits for the end of the turn. It is called before connections are closed:
 * Node takes an answer that has ended for written.
 */
export function writeDue(): void {
  while (due.length > 0) writeAll();
}

const due: (() => void)[] = [];

function atEnd(write: () => void): void {
  if (due.push(write) === 1) setImmediate(writeAll);
}

function writeAll(): void {
  for (const write of due.splice(0)) write();
}
