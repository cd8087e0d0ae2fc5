import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { execa } from 'execa';
import type { Pool } from 'pg';

/** The searched places, and those with a value. */
export interface SearchReport {
  tables: number;
  rows: number;
  files: number;
  gitObjects: number;
  bytes: number;
  found: string[];
}

/** Shorter pieces of a value may occur by chance. */
const minPiece = 12;

/**
 * Returns every encoding of a value, by rules that are independent of the mask's. A value that other characters divide
 * is also searched by its parts, which no escaping changes.
 */
function needlesOf(value: string): Buffer[] {
  const bytes = Buffer.from(value);
  const cores = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes, Buffer.alloc(3)]).toString('base64');
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const hex = bytes.toString('hex');
  const texts = [
    value,
    ...value.split(/[^A-Za-z0-9_-]+/).filter((piece) => piece.length >= minPiece),
    ...cores,
    ...cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_')),
    hex,
    hex.toUpperCase(),
    encodeURIComponent(value),
    [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join(''),
    JSON.stringify(value).slice(1, -1),
    JSON.stringify(JSON.stringify(value)).slice(3, -3),
    value
      .split('')
      .map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
    value
      .split('')
      .map((sign) => `&#${sign.charCodeAt(0)};`)
      .join(''),
  ];
  return [...new Set(texts)].map((text) => Buffer.from(text));
}

/** Searches for values in many places. */
export class Search {
  readonly report: SearchReport = { tables: 0, rows: 0, files: 0, gitObjects: 0, bytes: 0, found: [] };
  readonly #needles: { name: string; needle: Buffer }[];

  constructor(values: Readonly<Record<string, string>>) {
    this.#needles = Object.entries(values).flatMap(([name, value]) => {
      const lines = value.includes('\n') ? value.split('\n').filter((line) => /^[A-Za-z0-9+/]{20,}$/.test(line)) : [];
      return [value, ...lines].flatMap((text) => needlesOf(text).map((needle) => ({ name, needle })));
    });
  }

  /** Searches bytes, with and without line breaks. */
  in(place: string, content: Buffer | string, allowed: readonly string[] = []): void {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.report.bytes += bytes.length;
    const joined = Buffer.from(bytes.toString('latin1').replaceAll(/(?:\\[nr]|[\r\n])+[+ -]?/g, ''), 'latin1');
    for (const { name, needle } of this.#needles) {
      if (allowed.includes(name)) continue;
      const at = bytes.indexOf(needle);
      if (at >= 0 || joined.includes(needle)) {
        const around = bytes.toString('latin1', Math.max(0, at - 60), Math.max(0, at) + 80);
        this.report.found.push(`${name} in ${place}: …${around}…`);
      }
    }
  }

  /** Searches every row of every table, as text, and every column of bytes. */
  async inDatabase(pool: Pool): Promise<void> {
    const { rows: tables } = await pool.query<{ name: string; bytes: string[] }>(
      `select format('%I.%I', n.nspname, c.relname) as name,
         coalesce((select array_agg(quote_ident(a.attname)) from pg_attribute a
           where a.attrelid = c.oid and a.attnum > 0 and a.atttypid = 'bytea'::regtype), '{}')::text[] as bytes
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p', 'm') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`,
    );
    for (const { name, bytes } of tables) {
      const { rows } = await pool.query<{ text: string }>(`select t::text as text from ${name} t`);
      this.report.tables += 1;
      this.report.rows += rows.length;
      this.in(`the table ${name}`, rows.map(({ text }) => text).join('\n'));
      for (const column of bytes) {
        const values = await pool.query<{ content: Buffer | null }>(`select ${column} as content from ${name}`);
        for (const { content } of values.rows) if (content !== null) this.in(`${name}.${column}`, content);
      }
    }
  }

  /**
   * Searches every file below a directory except copies of Node.js, and every unpacked object of its git repositories.
   */
  async inFiles(directory: string, except: readonly string[] = []): Promise<void> {
    // Copies of this program in sandboxes: 126 MB without secrets, compared byte by byte.
    const program = await readFile(process.execPath);
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      if (except.some((part) => path.startsWith(part))) continue;
      if (entry.isDirectory() && entry.name === 'objects') await this.#inRepository(entry.parentPath);
      if (!entry.isFile()) continue;
      const content = await readFile(path);
      if (content.equals(program)) continue;
      this.report.files += 1;
      this.in(path, Buffer.concat([Buffer.from(path), content]));
      if (/\/objects\/[0-9a-f]{2}\/[0-9a-f]{38}$/.test(path)) this.in(`${path} inflated`, inflateSync(content));
    }
  }

  async #inRepository(directory: string): Promise<void> {
    const args = ['--git-dir', directory, 'cat-file', '--batch-all-objects', '--batch'];
    const options = { encoding: 'buffer', env: { GIT_CONFIG_GLOBAL: '/dev/null' }, reject: false } as const;
    const { stdout } = await execa('git', ['-c', 'safe.directory=*', ...args], options);
    const content = Buffer.from(stdout);
    this.report.gitObjects += content.toString('latin1').match(/^[0-9a-f]{40} \w+ \d+$/gm)?.length ?? 0;
    this.in(`objects of ${directory}`, content);
  }
}
