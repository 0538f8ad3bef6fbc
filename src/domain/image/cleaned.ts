/** An image as the parser of its format leaves it. */
export interface Cleaned {
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}
