/**
 * Header fields of every answer to a call, by which nobody keeps it and no browser takes it for
 * anything but what it says: answers carry secrets and personal data.
 */
export const answerFields = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
} as const;
