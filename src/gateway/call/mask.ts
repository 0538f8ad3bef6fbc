import {
  clearField,
  type DescField,
  type DescMethod,
  type DescOneof,
  getOption,
  hasOption,
  type Message,
} from "@bufbuild/protobuf";
import type { FieldMask } from "@bufbuild/protobuf/wkt";
import { http } from "../../../gen/google/api/annotations_pb.js";
import type { Violation } from "../../domain/decision.ts";
import { someOf } from "./violation-texts.ts";

/** What the mask of a request leaves as it is. */
export interface Masking {
  /** What is wrong with the mask. */
  readonly violations: readonly Violation[];
  /** Whether it leaves out a field, or all fields of a oneof. */
  leaves(member: DescField | DescOneof): boolean;
}

/**
 * Takes from a request what its mask does not name, so that nothing of that is judged or used.
 * Undefined where it has no mask: then it is whole.
 */
export function applyMask(method: DescMethod, message: Message): Masking | undefined {
  const settings = settingsOf(method);
  const { updateMask } = message as { readonly updateMask?: FieldMask };
  if (settings === undefined || updateMask === undefined) return undefined;
  const paths = new Set(updateMask.paths);
  const left = new Set(settings.filter(({ name }) => !paths.has(name)));
  for (const field of left) clearField(message, field);
  const named = settings.length - left.size;
  return {
    violations: named > 0 && named === paths.size ? [] : [misnamed(settings)],
    leaves: (member) =>
      member.kind === "field" ? left.has(member) : member.fields.every((field) => left.has(field)),
  };
}

function misnamed(settings: readonly DescField[]): Violation {
  const names = settings.map(({ name }) => name);
  return { field: "update_mask", description: someOf(settings), names };
}

const known = new Map<DescMethod, readonly DescField[] | undefined>();

/** The fields that a mask may name: all but ids, which the path has; undefined without a mask. */
export function settingsOf(method: DescMethod): readonly DescField[] | undefined {
  if (!known.has(method)) known.set(method, readSettings(method));
  return known.get(method);
}

function readSettings(method: DescMethod): readonly DescField[] | undefined {
  const { field, fields } = method.input;
  if (!("updateMask" in field)) return undefined;
  const path = hasOption(method, http) ? String(getOption(method, http).pattern.value) : "";
  const others = [...path.matchAll(/\{(\w+)/g)].map(([, name]) => name);
  return fields.filter(
    ({ name }) => ![...others, "update_mask", "expected_sequence"].includes(name),
  );
}
