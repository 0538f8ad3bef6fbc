/** A sealed secret that is in a state, and the same secret sealed with another key. */
export interface SealedAnew {
  readonly from: string;
  readonly to: string;
}
