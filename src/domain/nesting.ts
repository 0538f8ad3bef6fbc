/** The bounds on JSON that others make and that is told to actions. */
export const nestingLimits = {
  /** Lists and objects in each other, the outermost included. Much deeper ones have no text. */
  depth: 32,
} as const;

/** Whether there are more in each other. */
export function isTooDeep(value: unknown, most: number = nestingLimits.depth): boolean {
  if (typeof value !== "object" || value === null) return false;
  return most === 0 || Object.values(value).some((one) => isTooDeep(one, most - 1));
}
