/** One line of the report: its subject, the figure, and the target. */
export interface Row {
  what: string;
  figure: string;
  target: string;
  holds: boolean | undefined;
}
