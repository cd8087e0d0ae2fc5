/** A place in a file of the commit; lines from 1. */
export interface Place {
  path: string;
  line: number;
}

const mostBytes = 60_000;

/** Makes text of a repository harmless in Markdown: one line, without control characters, markup or HTML. */
export function plain(text: string, longest = 400): string {
  const line = oneLine(text, longest);
  return line.replaceAll(/[\\`*_{}[\]<>#|!~&$@]/g, String.raw`\$&`);
}

/** Quotes text of a repository as code. */
export function code(text: string, longest = 200): string {
  const line = oneLine(text, longest).replaceAll('`', "'").replaceAll('|', '¦');
  return line === '' ? '' : `\`${line}\``;
}

/** Makes text of a repository one line of plain text, without control characters. */
export function oneLine(text: string, longest: number): string {
  const clean = text
    .slice(0, 4 * longest)
    .replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  return (clean.length > longest ? `${clean.slice(0, longest - 1)}…` : clean).toWellFormed();
}

/** The target of a link to a line: `path@commit#L1`; a reader of the page replaces `commit` by its id. */
export function lineTarget({ path, line }: Place): string {
  const encoded = path
    .toWellFormed()
    .split('/')
    .map((part) => encodeURIComponent(part).replaceAll(/[()'!*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`))
    .join('/');
  return `${encoded}@commit#L${line}`;
}

/** A page that takes statements as long as there is room. A statement stands for a line that exists. */
export interface PageText {
  heading(text: string): void;
  /** Adds a statement whose label leads to its line; leaves it out if the commit has no such line. */
  entry(place: Place, label: string, rest?: string): boolean;
  /** Adds a sentence that names other pages, or counts. */
  note(text: string): void;
  /** Adds a table; its cells are Markdown. */
  table(head: readonly string[], rows: readonly (readonly string[])[]): void;
  fence(language: string, text: string): void;
  /** A link to a line; its label alone if the commit has no such line. */
  cite(place: Place, label?: string): string;
  end(): { body: string; cited: string[] };
}

/** Opens a page whose links may lead to these files, each with its number of lines. */
export function openPage(lines: ReadonlyMap<string, number>): PageText {
  const parts: string[] = [];
  const cited = new Set<string>();
  let bytes = 0;
  let isFull = false;
  let open = '';

  const exists = ({ path, line }: Place): boolean => line >= 1 && line <= (lines.get(path) ?? 0);
  function add(text: string): void {
    const all = `${open}${text}`;
    bytes += Buffer.byteLength(all);
    if (isFull || bytes > mostBytes) {
      if (!isFull) parts.push('\n*The page is full; the rest is left out.*\n');
      isFull = true;
      return;
    }
    parts.push(all);
    open = '';
  }
  function cite(place: Place, label = code(`${place.path}:${place.line}`)): string {
    if (!exists(place)) return label;
    cited.add(place.path);
    return `[${label}](${lineTarget(place)})`;
  }
  return {
    // A heading appears with its first statement.
    heading: (text) => void (open = `\n## ${text}\n\n`),
    entry(place, label, rest = '') {
      if (!exists(place) || label === '') return false;
      add(`- ${cite(place, label)}${rest === '' ? '' : ` ${rest}`}\n`);
      return true;
    },
    note: (text) => add(`${text}\n\n`),
    table(head, rows) {
      if (rows.length === 0) return;
      add(`| ${head.join(' | ')} |\n|${head.map(() => '---').join('|')}|\n`);
      for (const row of rows) add(`| ${row.join(' | ')} |\n`);
      add('\n');
    },
    fence: (language, text) => add(`\`\`\`${language}\n${text}\n\`\`\`\n\n`),
    cite,
    end: () => ({ body: parts.join('').trimStart(), cited: [...cited] }),
  };
}
