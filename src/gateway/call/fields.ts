import {
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { type Path, pathToString } from "@bufbuild/protobuf/reflect";
import {
  type Duration,
  DurationSchema,
  FieldMaskSchema,
  StructSchema,
  type Timestamp,
  TimestampSchema,
} from "@bufbuild/protobuf/wkt";
import type { Validator } from "@bufbuild/protovalidate";
import { field as fieldOption } from "../../../gen/buf/validate/validate_pb.js";
import { Refused } from "../../api/call.ts";
import type { FieldRule } from "../../api/field-rule.ts";
import { fieldRules } from "../../api/field-rules.ts";
import { type Problem, rejectionOfFields, type Violation } from "../../domain/decision.ts";
import { requestLimits } from "./elements.ts";
import type { Masking } from "./mask.ts";
import {
  type BrokenAt,
  brokenRule,
  charactersAtMost,
  durationRange,
  entriesAtMost,
  nul,
  timeRange,
} from "./violation-texts.ts";

/** Holds for every field that states no limit of its own. */
export const fieldLimits = {
  /** Unicode code points of a string. */
  stringCharacters: 2_048,
  /** Entries of a list. */
  listEntries: 100,
} as const;

/** Loaded with the first message that is judged. */
let validator: Validator | undefined;

/**
 * Throws or rejects with every broken rule of the message: those that the contract states with
 * `buf.validate`, those that hold for all fields, and those of the domain that fields alone decide,
 * which are asked about what breaks no other. Looks for no more than a refusal tells. Of a message
 * with a mask only what that names is judged, and nothing that several fields decide. Answers
 * nothing where it need not wait for a rule, which is so for most messages.
 */
export function checkFields(
  schema: DescMessage,
  message: Message,
  masking?: Masking,
): Promise<void> | undefined {
  if (validator === undefined)
    return loadValidator().then(() => checkFields(schema, message, masking));
  const violations = [...(masking?.violations ?? [])];
  const found: Judged = { validator, violations, awaited: [], masking };
  checkStated(schema, message, "", found);
  compileChecks(schema)(message, "", found);
  return found.awaited.length > 0 ? checkAwaited(found) : refuseFound(found);
}

async function loadValidator(): Promise<void> {
  validator ??= (await import("@bufbuild/protovalidate")).createValidator();
}

async function checkAwaited(found: Judged): Promise<void> {
  const late = await Promise.all(found.awaited);
  // The last ones first, so that the places of the others stay: the order is that of the fields.
  for (const { before, told } of late.toReversed()) found.violations.splice(before, 0, ...told);
  refuseFound(found);
}

function refuseFound({ violations }: Judged): undefined {
  if (violations.length === 0) return undefined;
  throw new Refused(rejectionOfFields(violations.slice(0, requestLimits.violations)));
}

/** What is wrong with a message, as far as it is known. */
interface Judged {
  readonly validator: Validator;
  readonly violations: Violation[];
  /** What rules find that had to load something first, and how many violations come before. */
  readonly awaited: Promise<{ readonly before: number; readonly told: readonly Violation[] }>[];
  /** Of the message itself. */
  readonly masking: Masking | undefined;
}

function isEnough({ violations }: Judged): boolean {
  return violations.length >= requestLimits.violations;
}

function isBroken({ violations }: Judged, path: string): boolean {
  return violations.some(({ field }) => field === path);
}

/** Adds every broken rule that the contract states. */
function checkStated(schema: DescMessage, message: Message, prefix: string, found: Judged): void {
  if (isEnough(found)) return;
  const result = found.validator.validate(schema, message);
  if (result.kind === "error") throw result.error;
  if (result.kind === "valid") return;
  const counting = result.violations.filter(({ field: [first] }) => !isLeft(first, found.masking));
  for (const violation of counting.slice(0, requestLimits.violations)) {
    const broken = locateBroken(message, violation.field);
    const description = brokenRule(violation, broken);
    const names = broken.desc?.kind === "oneof" ? broken.desc.fields.map(({ name }) => name) : [];
    found.violations.push({ field: prefix + pathToString(violation.field), description, names });
  }
}

/** Whether a mask leaves out the member of the message that a path begins with. */
function isLeft(first: Path[number] | undefined, masking: Masking | undefined): boolean {
  return (first?.kind === "field" || first?.kind === "oneof") && masking?.leaves(first) === true;
}

/** Finds what a path leads to; the contract has rules for no map and no extension. */
function locateBroken(message: Message, path: Path): BrokenAt {
  let value: unknown = message;
  let desc: BrokenAt["desc"];
  for (const step of path) {
    if (step.kind === "list_sub") {
      value = (value as readonly unknown[])[step.index];
    } else if (step.kind === "field" || step.kind === "oneof") {
      desc = step;
      value = step.kind === "field" ? fieldValue(value as object, step) : undefined;
    }
  }
  return { desc, value };
}

/** Adds what it finds wrong with the message; the prefix is the path that leads to it. */
type Check = (message: object, prefix: string, found: Judged) => void;

const compiled = new Map<string, Check>();
/** The types whose checks are being compiled: one that is met again contains itself. */
const compiling = new Set<string>();

function compileChecks(schema: DescMessage): Check {
  const known = compiled.get(schema.typeName);
  if (known !== undefined) return known;
  const checks: Check[] = [];
  const check: Check = (message, prefix, found) => {
    for (const one of checks) {
      if (isEnough(found)) return;
      one(message, prefix, found);
    }
  };
  // Known before its fields are, so that a message may contain itself.
  compiled.set(schema.typeName, check);
  compiling.add(schema.typeName);
  checks.push(...schema.fields.flatMap((field) => compileField(field) ?? []));
  compiling.delete(schema.typeName);
  const { together } = fieldRules.get(schema.typeName) ?? {};
  if (together !== undefined) {
    checks.push((message, prefix, found) => {
      if (found.masking !== undefined) return;
      const placed = together(message as never).map((one) => ({
        ...one,
        field: prefix + one.field,
      }));
      found.violations.push(...placed.filter(({ field }) => !isBroken(found, field)));
    });
  }
  return check;
}

/** The check of one field; undefined where its values need none. */
function compileField(field: DescField): Check | undefined {
  const checkValue = compileValue(field);
  if (field.fieldKind !== "list") {
    if (checkValue === undefined) return undefined;
    return (message, prefix, found) => {
      const value = fieldValue(message, field);
      if (value !== undefined) checkValue(value, prefix + field.name, found);
    };
  }
  const stated = statedLimits(field).list;
  const entriesMax = stated ?? fieldLimits.listEntries;
  return (message, prefix, found) => {
    const list = fieldValue(message, field) as readonly unknown[];
    const path = prefix + field.name;
    if (list.length > entriesMax) {
      // A limit that the contract states is told with its other rules.
      if (stated === undefined) {
        found.violations.push({ field: path, description: entriesAtMost(entriesMax) });
      }
      return;
    }
    if (checkValue === undefined) return;
    for (const [index, value] of list.entries()) {
      if (isEnough(found)) return;
      checkValue(value, `${path}[${index}]`, found);
    }
  };
}

type ValueCheck = (value: unknown, path: string, found: Judged) => void;

function compileValue(field: DescField): ValueCheck | undefined {
  const { message: schema } = field;
  if (schema !== undefined) {
    if (schema.typeName === TimestampSchema.typeName) return timestampCheck;
    if (schema.typeName === DurationSchema.typeName) return compileDuration(ruleOf(field));
    // JSON of any form, which is not a message here: its handler reads it.
    if (schema.typeName === StructSchema.typeName) return undefined;
    // What it names is judged with the message that has it.
    if (schema.typeName === FieldMaskSchema.typeName) return undefined;
    const isWithinItself = compiling.has(schema.typeName);
    const check = compileChecks(schema);
    return (value, path, found) => {
      check(value as object, `${path}.`, found);
      // Where a message contains itself, protovalidate ends: it leaves out what it has not planned.
      if (isWithinItself) checkStated(schema, value as Message, `${path}.`, found);
    };
  }
  return field.scalar === ScalarType.STRING ? compileString(field) : undefined;
}

// JSON cannot say times that do not exist, but the binary form can (google/protobuf/*.proto).

const timestampCheck: ValueCheck = (value, path, { violations }) => {
  const { seconds, nanos } = value as Timestamp;
  const inRange = seconds >= -62_135_596_800n && seconds <= 253_402_300_799n;
  if (!inRange || nanos < 0 || nanos > 999_999_999) {
    violations.push({ field: path, description: timeRange });
  }
};

function compileDuration(rule: FieldRule | undefined): ValueCheck {
  return (value, path, found) => {
    const { seconds, nanos } = value as Duration;
    const inRange = seconds >= -315_576_000_000n && seconds <= 315_576_000_000n;
    const sameSign = nanos === 0 || seconds === 0n || seconds > 0n === nanos > 0;
    if (inRange && Math.abs(nanos) <= 999_999_999 && sameSign) {
      ask(rule, value, path, found);
    } else {
      found.violations.push({ field: path, description: durationRange });
    }
  };
}

function compileString(field: DescField): ValueCheck {
  const charactersMax = statedLimits(field).string ? Infinity : fieldLimits.stringCharacters;
  // A text that is not there is empty, but an entry and a member of a oneof are there.
  const mayBeAbsent = field.fieldKind !== "list" && field.oneof === undefined;
  const rule = ruleOf(field);
  return (value, path, found) => {
    const text = String(value);
    if (text.includes("\0")) found.violations.push({ field: path, description: nul });
    // Code points are at most as many as code units, so most texts need not be counted.
    if (text.length > charactersMax && [...text].length > charactersMax) {
      found.violations.push({ field: path, description: charactersAtMost(charactersMax) });
    }
    if (text !== "" || !mayBeAbsent) ask(rule, text, path, found);
  };
}

/** The rule of the domain for a field, or for each of its entries. */
function ruleOf({ parent, localName }: DescField): FieldRule | undefined {
  return fieldRules.get(parent.typeName)?.fields[localName];
}

/** Adds what the rule finds wrong with a value, at once or when it knows. */
function ask(rule: FieldRule | undefined, value: unknown, path: string, found: Judged): void {
  if (rule === undefined || isBroken(found, path)) return;
  const toTold = (problem: Problem) =>
    problem === undefined ? [] : [{ field: path, description: problem }];
  const before = found.violations.length;
  const problem = rule.problemOf(value as never);
  if (problem instanceof Promise)
    found.awaited.push(problem.then((late) => ({ before, told: toTold(late) })));
  else found.violations.push(...toTold(problem));
}

/** The field's value; for a member of a oneof only while it is the one that is set. */
function fieldValue(message: object, { oneof, localName }: DescField): unknown {
  const holder = message as { readonly [property: string]: unknown };
  if (oneof === undefined) return holder[localName];
  const chosen = holder[oneof.localName] as { readonly case?: string; readonly value?: unknown };
  return chosen.case === localName ? chosen.value : undefined;
}

/** Whether the contract limits the field's strings itself, and how many entries it allows. */
function statedLimits(field: DescField): { readonly string: boolean; readonly list?: number } {
  if (!hasOption(field, fieldOption)) return { string: false };
  const { type } = getOption(field, fieldOption);
  const rules = type.case === "repeated" ? type.value.items?.type : type;
  const entriesMax = type.case === "repeated" ? Number(type.value.maxItems) : 0;
  return {
    string: rules?.case === "string" && rules.value.maxLen > 0n,
    ...(entriesMax > 0 ? { list: entriesMax } : {}),
  };
}
