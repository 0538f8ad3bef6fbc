/** The milliseconds to rest after work that took so many, to take this share of a core in all. */
export function restMs(tookMs: number, share: number): number {
  return (tookMs * (1 - share)) / share;
}
