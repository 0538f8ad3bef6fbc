/** A setting: where it is given, and how it is read. */
export interface Setting<Value> {
  /** The environment variable; the flag is the same in lower case: IAM_DATA_DIR, --data-dir. */
  readonly name: `IAM_${string}`;
  /** As it would be written in the environment. */
  readonly default: string;
  readonly meaning: string;
  /** Whether the value is not to be repeated in messages. */
  readonly isSecret?: boolean;
  /** The value, or a sentence about what it must be. */
  parse(text: string): Value | Invalid;
}

/** What a value is not, in place of it. */
export class Invalid {
  readonly mustBe: string;

  constructor(mustBe: string) {
    this.mustBe = mustBe;
  }
}

/** Reads a whole number. */
export function integer(min: number, max: number) {
  return (text: string): number | Invalid => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return number >= min && number <= max
      ? number
      : new Invalid(`a whole number from ${min} to ${max}`);
  };
}

/** Reads yes or no. */
export function flag(text: string): boolean | Invalid {
  return /^(true|false)$/.test(text) ? text === "true" : new Invalid("true or false");
}
