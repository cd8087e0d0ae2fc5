/** One line of the report: what was measured, the figure, and what it is to be held against. */
export interface Row {
  what: string;
  figure: string;
  target: string;
  holds: boolean | undefined;
}
