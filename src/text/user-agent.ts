/** The names of a browser and of the system that it runs on, as far as they are known. */
export interface Program {
  readonly browser?: string | undefined;
  readonly system?: string | undefined;
}

type Names = readonly (readonly [name: string, form: RegExp])[];

/** Browsers say that they are others, too: the first that is found is meant. */
const browsers: Names = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\b(?:OPR|OPiOS|Opera)\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Vivaldi", /\bVivaldi\//],
  ["Yandex Browser", /\bYaBrowser\//],
  ["DuckDuckGo", /\b(?:DuckDuckGo|Ddg)\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//],
  ["Safari", /\bVersion\/\S+ .*\bSafari\//],
];

const systems: Names = [
  ["Android", /\bAndroid\b/],
  ["iPadOS", /\biPad\b/],
  ["iOS", /\b(?:iPhone|iPod)\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac(?:intosh| OS X)\b/],
  ["Linux", /\bLinux\b/],
];

/**
 * What a browser says that it is (`user-agent`), in names of our own alone: people are shown
 * nothing that a stranger could word.
 */
export function programOf(userAgent: string): Program {
  const nameIn = (names: Names) => names.find(([, form]) => form.test(userAgent))?.[0];
  return { browser: nameIn(browsers), system: nameIn(systems) };
}
