/** The sizes of a log and of the tables that follow from it. */
export interface LogCounts {
  readonly events: number;
  readonly streams: number;
  readonly objects: number;
  readonly claims: number;
  readonly fields: number;
  readonly messages: number;
}
