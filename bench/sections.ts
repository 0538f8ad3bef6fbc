import type { Figures, Results } from "./results.ts";

/** A part of the bench that is measured, shown and kept by itself. */
export interface Section {
  readonly name: string;
  measure(): Promise<Figures>;
  /** The figures for people. */
  show(figures: Figures): string;
}

/** Where figures go when a section is done. */
export interface Outlets {
  /** Tells how far it has come, which is not part of what was found. */
  say(text: string): void;
  print(text: string): void;
  /** Keeps all results so far. */
  keep(results: Results): Promise<void>;
}

/**
 * Measures the sections one after the other, and prints and keeps what each found before the next
 * begins. One that fails is printed with its error, and costs the others nothing. Answers all
 * results, and the names of the sections that failed.
 */
export async function runSections(
  sections: readonly Section[],
  before: Results,
  { say, print, keep }: Outlets,
): Promise<{ readonly results: Results; readonly failed: readonly string[] }> {
  let results = before;
  const failed: string[] = [];
  for (const { name, measure, show } of sections) {
    say(name);
    try {
      const figures = await measure();
      results = withFigures(results, figures);
      print(show(figures));
      await keep(results);
    } catch (error) {
      failed.push(name);
      print(`${name} FAILED: ${error instanceof Error ? error.stack : error}`);
    }
  }
  return { results, failed };
}

function withFigures(results: Results, figures: Figures): Results {
  return {
    ...results,
    rows: [...results.rows, ...(figures.rows ?? [])],
    ratios: { ...results.ratios, ...figures.ratios },
    startMs: { ...results.startMs, ...figures.startMs },
    resident: [...results.resident, ...(figures.resident ?? [])],
    grown: [...results.grown, ...(figures.grown ?? [])],
  };
}
