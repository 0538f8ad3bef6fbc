/** The names of levels, and the color of each on a terminal. */
const levels: { readonly [level: number]: readonly [name: string, color: number] } = {
  10: ["trace", 90],
  20: ["debug", 90],
  30: ["info", 32],
  40: ["warn", 33],
  50: ["error", 31],
  60: ["fatal", 35],
};

/** Members that stand elsewhere in a line, or that nobody needs who sits at the terminal. */
const left = new Set(["level", "time", "msg", "pid", "hostname"]);

/** A JSON line of the log as people read it at a terminal; any other text stays as it is. */
export function prettyLine(line: string): string {
  const members = parse(line);
  if (members === undefined) return line;
  const { level, time, msg = "" } = members;
  const [name, color] = levels[Number(level)] ?? [String(level), 0];
  const at = new Date(Number(time)).toISOString().slice(11, 23);
  const rest = Object.entries(members)
    .filter(([member]) => !left.has(member))
    .map(([member, value]) => `\u001b[90m${member}=\u001b[0m${shown(value)}`);
  const begin = `\u001b[90m${at}\u001b[0m \u001b[${color}m${name.padEnd(5)}\u001b[0m`;
  return `${[begin, shown(msg, true), ...rest].join(" ")}\n`;
}

function parse(line: string): { readonly [member: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** A value as JSON writes it, without the quotes of plain texts. Nothing in it moves the cursor. */
function shown(value: unknown, isSentence = false): string {
  const isPlain = typeof value === "string" && (isSentence || /^[\w.:/@+-]+$/.test(value));
  const text = isPlain ? value : (JSON.stringify(value) ?? "");
  return text.replaceAll(/\p{C}/gu, "");
}
