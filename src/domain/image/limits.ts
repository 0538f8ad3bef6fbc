/** The bounds on an image that somebody uploads. */
export const imageLimits = {
  /** Bytes of the file. */
  bytes: 512 * 1024,
  /** Pixels of each side. */
  sidePixels: 2_000,
  /** Scans of a progressive JPEG: who shows it goes through the whole image for each. */
  scans: 100,
  /** Uploads of an organization, or of the instance, in a day. */
  uploadsPerDay: 20,
} as const;
