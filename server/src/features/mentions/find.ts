const commands = new Set(['on', 'off', 'approve']);

/** Words that call the platform. */
export interface Call {
  /** The words behind the name on its line, or else the next line with words; `''` for none. */
  readonly title: string;
}

/**
 * Finds a line that begins with one of the names, outside of quotations and code. Undefined without one, and for a comment that
 * is only a command of following.
 */
export function findCall(body: string, names: readonly string[]): Call | undefined {
  if (!body.includes('@')) return undefined;
  const lines = ownLines(body);
  for (const [index, line] of lines.entries()) {
    const [, name = '', said = ''] = /^@([\w-]{1,100})(?:\[bot\])?(.*)$/.exec(line.trimStart().slice(0, 2_000)) ?? [];
    if (!names.includes(name.toLowerCase())) continue;
    const behind = said.replace(/^[\s:,]{1,99}/, '');
    const rest = [behind, ...lines.slice(index + 1)].map((one) => one.trim()).filter((one) => one !== '');
    const isCommand = rest.length === 1 && commands.has(rest[0] ?? '');
    return isCommand ? undefined : { title: rest[0] ?? '' };
  }
  return undefined;
}

/** Returns the lines of a comment that are its author's words. */
function ownLines(body: string): string[] {
  let fence = '';
  return body.split('\n').filter((line) => {
    const mark = /^\s{0,3}(```+|~~~+)/.exec(line.slice(0, 200))?.[1] ?? '';
    if (fence !== '') {
      if (mark.startsWith(fence)) fence = '';
      return false;
    }
    fence = mark;
    return fence === '' && !line.trimStart().startsWith('>') && !line.startsWith('    ') && !line.startsWith('\t');
  });
}
