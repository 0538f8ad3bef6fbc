/** A page that says something and asks nothing. */
export interface Notice {
  readonly title: string;
  readonly paragraphs: readonly string[];
}
