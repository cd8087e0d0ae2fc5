/** The look of a table of figures: names at the left, numbers at the right. */
export const tableClass =
  'w-full border-collapse text-right [&_td]:border-t [&_td]:border-line [&_td]:py-1 [&_td]:pl-3 [&_th]:py-1 [&_th]:pl-3 [&_th]:font-normal [&_th]:text-ink-3';
