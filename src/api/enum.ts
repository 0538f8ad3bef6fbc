type EnumObject = { readonly [name: string]: string | number };

/** The names of an enum's values without their prefix. */
type NameIn<Enum extends EnumObject, Prefix extends string> = keyof Enum extends infer Name
  ? Name extends `${Prefix}${infer Short}`
    ? Short
    : never
  : never;

/**
 * The two ways between the values of an enum of the contract and the names that the domain has for
 * them, which are the contract's without their prefix. A value without a name in the domain, or a
 * name without a value, does not compile where it is used.
 */
export function enumNames<Enum extends EnumObject, const Prefix extends string>(
  values: Enum,
  prefix: Prefix,
) {
  const nameOf = (value: Enum[keyof Enum]): NameIn<Enum, Prefix> | undefined => {
    const name = values[value as keyof Enum];
    return typeof name === "string"
      ? (name.slice(prefix.length) as NameIn<Enum, Prefix>)
      : undefined;
  };
  return {
    /** The domain's name of a value. Throws a TypeError for a number that has none. */
    read(value: Enum[keyof Enum]): NameIn<Enum, Prefix> {
      const name = nameOf(value);
      if (name === undefined) throw new TypeError(`no value of the enum is ${String(value)}`);
      return name;
    },
    /** The domain's names of the values that have one. */
    known(given: readonly Enum[keyof Enum][]): NameIn<Enum, Prefix>[] {
      return given.flatMap((value) => nameOf(value) ?? []);
    },
    /** The value that the domain has this name for. */
    show(name: NameIn<Enum, Prefix>): Enum[keyof Enum] {
      return values[`${prefix}${name}`] as Enum[keyof Enum];
    },
  };
}
