/**
 * What is wrong with a version of Node, for example 20.20.2, for a range of the form `>=22.18`: a
 * sentence that names the way to the right one. Undefined where nothing is wrong.
 */
export function problemOf(version, range) {
  const least = range.replace(">=", "");
  const [major, minor] = numbersOf(version);
  const [leastMajor, leastMinor] = numbersOf(least);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  return (
    `This is Node ${version}, and the service needs Node ${least} or newer: ` +
    "`make run` installs one and serves with it; from then on `npx node src/main.js` runs every command."
  );
}

function numbersOf(version) {
  return version.split(".").map(Number);
}
