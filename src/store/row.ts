/** A row of `events`, as every store has it; its integers are read exactly. */
export interface EventColumns {
  readonly position: bigint;
  readonly stream: string;
  readonly version: bigint;
  readonly type: string;
  readonly owner: string;
  readonly actor: string;
  readonly time: bigint;
  readonly payload: string;
}
