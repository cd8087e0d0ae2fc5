export interface Section {
  heading: { source: string; text: string };
  /** The headings above it, outermost first. */
  path: string[];
  body: string;
}

/** A section with less text is not useful as a note. */
const leastText = 40;

/** Returns the sections of a Markdown page: from one heading to the next, ignoring headings in code. */
export function sectionsOf(markdown: string): Section[] {
  const sections: Section[] = [];
  const above: { level: number; text: string }[] = [];
  let open: Section | undefined;
  let isCode = false;
  const lines: string[] = [];
  const close = (): void => {
    if (open !== undefined) sections.push({ ...open, body: lines.join('\n').trim() });
    lines.length = 0;
  };
  for (const line of markdown.replaceAll('\r\n', '\n').split('\n')) {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    const [, marks, source] = isCode ? [] : (/^(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line) ?? []);
    if (marks === undefined || source === undefined) {
      lines.push(line);
      continue;
    }
    close();
    while ((above.at(-1)?.level ?? 0) >= marks.length) above.pop();
    const text = plain(source);
    open = { heading: { source, text }, path: above.map((heading) => heading.text), body: '' };
    above.push({ level: marks.length, text });
  }
  close();
  return sections.filter(({ heading, body }) => heading.text !== '' && body.length >= leastText);
}

function plain(heading: string): string {
  return heading
    .replace(/<[^>]*>/g, '')
    .replace(/!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])?/g, '$1')
    .replace(/[`*]|\\(?=[_*<>])/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
