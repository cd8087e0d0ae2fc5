/** Blocks above this length are shown as they were written: parsers of Markdown take quadratic time for some texts. */
export const longestBlock = 4_000;

const fence = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Returns a text in parts that can be drawn one by one: it is cut at empty lines outside of code fences. The parts
 * together are the text. Takes linear time for any text.
 */
export function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let open: string | undefined;
  let block = '';
  for (const line of text.split(/(?<=\n)/)) {
    const [, marks] = fence.exec(line) ?? [];
    if (marks !== undefined && open === undefined) open = marks;
    else if (open !== undefined && marks?.startsWith(open) === true && line.trim() === marks) open = undefined;
    block += line;
    if (open !== undefined || line.trim() !== '') continue;
    blocks.push(block);
    block = '';
  }
  return block === '' ? blocks : [...blocks, block];
}
