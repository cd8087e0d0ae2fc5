import type { Rewriter } from '../net/rewrite-transform.ts';

/** Longer links are not rewritten; also the maximum number of buffered bytes. */
const windowLength = 8192;

/**
 * Rewrites links in a text of any size, with only a window of it in memory. `pattern` is global and has three groups: the text
 * before the link, the link, and the text after it. Keeps all other bytes.
 */
export class LinkRewriter implements Rewriter {
  readonly #pattern: RegExp;
  readonly #rewrite: (link: string) => string;
  #pending = '';

  constructor(pattern: RegExp, rewrite: (link: string) => string) {
    this.#pattern = pattern;
    this.#rewrite = rewrite;
  }

  push(chunk: Buffer): Buffer {
    const text = this.#pending + chunk.toString('latin1');
    return this.#take(text, Math.max(0, text.length - windowLength));
  }

  end(): Buffer {
    return this.#take(this.#pending, this.#pending.length);
  }

  /** Returns the text before `end`, rewritten, and the rest of a link that begins there. */
  #take(text: string, end: number): Buffer {
    let out = '';
    let position = 0;
    for (const match of text.matchAll(this.#pattern)) {
      if (match.index >= end) break;
      const [whole, before = '', link = '', after = ''] = match;
      out += text.slice(position, match.index) + before + this.#changed(link) + after;
      position = match.index + whole.length;
    }
    const next = Math.max(position, end);
    this.#pending = text.slice(next);
    return Buffer.from(out + text.slice(position, next), 'latin1');
  }

  #changed(link: string): string {
    const text = Buffer.from(link, 'latin1').toString('utf8');
    return Buffer.from(this.#rewrite(text), 'utf8').toString('latin1');
  }
}

/** The `href` attributes of HTML. */
export const htmlLinks = /(\shref\s*=\s*["'])([^"'<>]*)(["'])/gi;
