import { artifactRows } from "./artifact-rows.ts";
import { attachmentRows } from "./attachment-rows.ts";
import { checkpointRows } from "./checkpoint-rows.ts";
import { erasureRows } from "./erasure-rows.ts";
import { eventRows } from "./event-rows.ts";
import { besideRows, fileRows } from "./file-rows.ts";
import type { Forgery } from "./forgery.ts";
import { objectRows } from "./object-rows.ts";
import type { Kind } from "./stage.ts";
import { tableRows } from "./table-rows.ts";

const rows: readonly Forgery[] = [
  ...eventRows,
  ...objectRows,
  ...fileRows,
  ...tableRows,
  ...besideRows,
  ...checkpointRows,
  ...artifactRows,
  ...erasureRows,
  ...attachmentRows,
];

/** All that is forged in a store. */
export function rowsOf(kind: Kind): readonly Forgery[] {
  return rows.filter(({ of = kind }) => of === kind);
}
