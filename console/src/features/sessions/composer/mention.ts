/** A file, a note or a skill that is being named in a text. */
export interface Mention {
  kind: 'file' | 'note' | 'skill';
  /** What is typed of it. */
  query: string;
  /** Where the sign is, and where the caret is. */
  from: number;
  to: number;
}

const signs: Record<string, Mention['kind']> = { '@': 'file', '#': 'note', '/': 'skill' };
const longest = 100;

/** Returns what is being named before the caret: a sign at the beginning of a word, without a space behind it. */
export function mentionAt(text: string, caret: number): Mention | undefined {
  for (let at = caret - 1; at >= Math.max(0, caret - longest); at -= 1) {
    const sign = text[at] ?? '';
    if (/\s/.test(sign)) return undefined;
    const kind = signs[sign];
    const before = at === 0 ? ' ' : (text[at - 1] ?? ' ');
    if (kind !== undefined && /[\s([{"'`]/.test(before))
      return { kind, query: text.slice(at + 1, caret), from: at, to: caret };
  }
  return undefined;
}

/** Returns the text with the name in place of what was typed of it, and where the caret is then. */
export function complete(text: string, { from, to }: Mention, name: string): { text: string; caret: number } {
  const rest = text.slice(to);
  const inserted = `${text[from] ?? ''}${name}${/^\s/.test(rest) ? '' : ' '}`;
  return { text: text.slice(0, from) + inserted + rest, caret: from + inserted.length + (/^\s/.test(rest) ? 1 : 0) };
}
