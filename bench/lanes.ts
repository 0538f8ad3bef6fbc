import type { Template } from "./template.ts";

/** One thing that has one call in flight at a time. */
export interface Lane {
  /** Sends the request with the digits in its name; says once what went wrong, if anything did. */
  call(serial: string, done: (problem?: string) => void): void;
}

/** All lanes of a run. */
export interface Lanes {
  readonly lanes: readonly Lane[];
  close(): void;
}

/**
 * Opens as many lanes to a port of this machine, each of which sends copies of the template. Where
 * lanes share connections, there are so many of them; one, if it is left out.
 */
export type OpenLanes = (
  port: number,
  template: Template,
  count: number,
  connections?: number,
) => Promise<Lanes>;
