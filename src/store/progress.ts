/** Takes a line that says how far work on a large log has come. */
export type Progress = (line: string) => void;

/** Tells of work in steps, and of each part of it that begins, once so many steps are known of. */
export interface Steps {
  /** A part of the work with so many steps begins, called like `comparing` and `streams`. */
  begin(doing: string, total: number, what: string): void;
  /** One more step of it is done. */
  done(): void;
}

/** Makes what tells of every so many steps; what has fewer is not worth a line. */
export function createSteps(every: number, tell: Progress = () => {}): Steps {
  let [text, count, of] = ["", 0, 0];
  return {
    begin: (doing, total, what) => {
      [text, count, of] = [`${doing} ${total} ${what}`, 0, total];
      if (total >= every) tell(text);
    },
    done: () => {
      count += 1;
      if (count % every === 0 && count < of) tell(`${text}: ${count}`);
    },
  };
}
