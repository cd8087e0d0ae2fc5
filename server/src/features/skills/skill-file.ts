import { isMap, isScalar, LineCounter, type Document, type Pair } from 'yaml';
import { isBlank } from '../../lib/one-line.ts';
import { parseForeignYaml, repeatedKey } from '../../lib/yaml.ts';
import { digestOf, limits, issuesOfFiles, sizeOf, type BundleFile, type BundleIssue } from './bundle.ts';

/** The front matter of SKILL.md, in the open format (https://agentskills.io/specification). */
export interface Manifest {
  name: string;
  description: string;
  license: string;
  compatibility: string;
  allowedTools: string[];
  metadata: Record<string, string>;
}

export interface Verdict {
  /** Partial if SKILL.md has issues. */
  manifest: Manifest;
  issues: BundleIssue[];
  /** Allowed, but unusual. */
  warnings: BundleIssue[];
}

const fileName = 'SKILL.md';
const maxNameLength = 64;
const maxDescriptionLength = 1_024;
const maxCompatibilityLength = 500;
const maxLicenseLength = 500;
const maxMetadataEntries = 50;
const maxMetadataLength = 2_000;
const maxLines = 500;
/** Maximum length of the front matter in characters; parsing cost grows with it. */
const maxFrontMatter = 16_384;
const known = new Set(['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools']);

/** Validates a whole bundle. */
export function inspect(files: readonly BundleFile[]): Verdict {
  const issues = issuesOfFiles(files);
  const file = files.find(({ path }) => path === fileName);
  if (file === undefined) {
    const other = files.find(({ path }) => path.toLowerCase().endsWith('skill.md'))?.path;
    const hint = other === undefined ? '' : ` Found ${other} instead.`;
    issues.push({ file: fileName, line: 0, message: `A skill needs a ${fileName} in its root directory.${hint}` });
    return { ...emptyVerdict(), issues };
  }
  if (file.content.length > limits.fileBytes) return { ...emptyVerdict(), issues };
  const read = inspectText(file.content);
  return { ...read, issues: [...issues, ...read.issues] };
}

/** Returns the verdict on a bundle that could not be read. */
export function emptyVerdict(): Verdict {
  return { manifest: emptyManifest(), issues: [], warnings: [] };
}

/** Returns the stored fields of a valid bundle. */
export function summaryOf(files: readonly BundleFile[]) {
  return { digest: digestOf(files), file_count: files.length, size_bytes: sizeOf(files) };
}

function emptyManifest(): Manifest {
  return { name: '', description: '', license: '', compatibility: '', allowedTools: [], metadata: {} };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Validates the content of a SKILL.md. */
function inspectText(content: Buffer): Verdict {
  const inspection = new Inspection();
  let text: string;
  try {
    text = utf8.decode(content);
  } catch {
    return inspection.ends(0, 'The file must be UTF-8 text.');
  }
  const lines = text.split(/\r\n|\n|\r/);
  if (lines[0]?.trimEnd() !== '---')
    return inspection.ends(1, 'The file must start with front matter: a line "---", YAML, and a line "---".');
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---');
  if (end < 0) return inspection.ends(1, 'The front matter is not closed. Add a line "---" after it.');
  inspection.read(lines.slice(1, end).join('\n'));
  if (lines.slice(end + 1).every((line) => line.trim() === ''))
    inspection.warn(end + 1, 'The front matter is not followed by instructions.');
  if (lines.length > maxLines)
    inspection.warn(maxLines, `The file has ${lines.length} lines. Move rarely needed parts to other files.`);
  return inspection;
}

/** Validates one front matter. */
class Inspection implements Verdict {
  readonly manifest = emptyManifest();
  readonly issues: BundleIssue[] = [];
  readonly warnings: BundleIssue[] = [];
  readonly #counter = new LineCounter();

  ends(line: number, message: string): this {
    this.#refuse(line, message);
    return this;
  }

  warn(line: number, message: string): void {
    this.warnings.push({ file: fileName, line, message });
  }

  read(yaml: string): void {
    if (yaml.length > maxFrontMatter)
      return this.#refuse(
        2,
        `Limit exceeded: the front matter can have at most ${maxFrontMatter} characters, and this one has ` +
          `${yaml.length}.`,
      );
    const document = parseForeignYaml(yaml, { lineCounter: this.#counter });
    for (const { message, pos } of document.errors.slice(0, 20)) this.#refuse(this.#lineAt(pos[0]), sentence(message));
    if (document.errors.length > 0) return;
    const pairs = pairsOf(document);
    if (pairs === undefined) return this.#refuse(2, 'The front matter must be a YAML mapping: lines of "key: value".');
    const repeated = repeatedKey(document.contents);
    if (repeated !== undefined) return this.#refuse(this.#lineOf(repeated), 'Map keys must be unique.');
    const fields = new Map(pairs.map((pair) => [String(valueOf(pair.key)), pair]));
    this.#readFields(fields);
    for (const [key, pair] of fields)
      if (!known.has(key)) this.warn(this.#lineOf(pair), `Unknown field ${JSON.stringify(key.slice(0, 100))}.`);
  }

  #readFields(fields: Map<string, Pair>): void {
    const { manifest } = this;
    manifest.name = this.#text(fields, 'name', maxNameLength, true);
    this.#checkName(fields.get('name'));
    manifest.description = this.#text(fields, 'description', maxDescriptionLength, true);
    manifest.license = this.#text(fields, 'license', maxLicenseLength);
    manifest.compatibility = this.#text(fields, 'compatibility', maxCompatibilityLength);
    this.#readTools(fields.get('allowed-tools'));
    this.#readMetadata(fields.get('metadata'));
  }

  #checkName(pair: Pair | undefined): void {
    const { name } = this.manifest;
    if (name === '' || pair === undefined) return;
    const line = this.#lineOf(pair);
    if (!/^[a-z0-9-]+$/.test(name))
      this.#refuse(line, '`name` can only contain lower-case letters, digits and hyphens.');
    else if (name.startsWith('-') || name.endsWith('-')) this.#refuse(line, '`name` must not start or end with "-".');
    else if (name.includes('--')) this.#refuse(line, '`name` must not contain consecutive hyphens.');
  }

  #text(fields: Map<string, Pair>, key: string, maxLength: number, isRequired = false): string {
    const pair = fields.get(key);
    const value = pair === undefined ? undefined : valueOf(pair.value);
    if (pair === undefined || value === null || value === undefined) {
      if (isRequired) this.#refuse(pair === undefined ? 1 : this.#lineOf(pair), `\`${key}\` is required.`);
      return '';
    }
    const line = this.#lineOf(pair);
    if (typeof value !== 'string') {
      this.#refuse(line, `\`${key}\` must be text. Put it in quotation marks.`);
      return '';
    }
    if (isRequired && isBlank(value)) this.#refuse(line, `\`${key}\` must not be empty.`);
    // Counts code points, not UTF-16 units.
    const length = Array.from(value).length;
    if (length > maxLength)
      this.#refuse(
        line,
        `Limit exceeded: \`${key}\` can have at most ${maxLength} characters, and this one has ${length}.`,
      );
    if (value.includes('\0') || !value.isWellFormed())
      this.#refuse(line, `\`${key}\` must not contain U+0000 or lone surrogates.`);
    return value.trim();
  }

  /** Accepts text with spaces between the tools, or a list, which many skills use. */
  #readTools(pair: Pair | undefined): void {
    if (pair === undefined) return;
    const value: unknown = plainOf(pair.value);
    const isList = Array.isArray(value) && value.every((tool) => typeof tool === 'string');
    if (isList) this.manifest.allowedTools = value.slice(0, 200);
    else if (typeof value === 'string')
      this.manifest.allowedTools = value.split(/[\s,]+/).filter((tool) => tool !== '');
    else if (value !== null)
      this.#refuse(this.#lineOf(pair), '`allowed-tools` must be text: tool names separated by spaces.');
  }

  #readMetadata(pair: Pair | undefined): void {
    if (pair === undefined || valueOf(pair.value) === null) return;
    if (!isMap(pair.value)) return this.#refuse(this.#lineOf(pair), '`metadata` must map text to text.');
    const repeated = repeatedKey(pair.value);
    if (repeated !== undefined) return this.#refuse(this.#lineOf(repeated), 'Map keys must be unique.');
    if (pair.value.items.length > maxMetadataEntries)
      return this.#refuse(
        this.#lineOf(pair),
        `Limit exceeded: \`metadata\` can have at most ${maxMetadataEntries} entries.`,
      );
    for (const entry of pair.value.items) {
      const key = String(valueOf(entry.key));
      const text = textOf(entry.value);
      if (key.length > 200 || text.length > maxMetadataLength || `${key}${text}`.includes('\0'))
        this.#refuse(
          this.#lineOf(entry),
          `Limit exceeded: \`metadata\` can have keys of 200 and values of ${maxMetadataLength} characters.`,
        );
      else if (key !== '__proto__') this.manifest.metadata[key] = text;
    }
  }

  #refuse(line: number, message: string): void {
    this.issues.push({ file: fileName, line, message });
  }

  #lineOf({ key }: Pair): number {
    const at = isScalar(key) ? key.range?.[0] : undefined;
    return this.#lineAt(at ?? 0);
  }

  /** The front matter starts in the second line of the file. */
  #lineAt(offset: number): number {
    return Math.max(1, this.#counter.linePos(offset).line) + 1;
  }
}

function pairsOf(document: Document): Pair[] | undefined {
  return isMap(document.contents) ? document.contents.items : undefined;
}

function valueOf(node: unknown): unknown {
  return isScalar(node) ? node.value : node;
}

/** Converts a node to a plain value; aliases are ignored. */
function plainOf(node: unknown): unknown {
  if (isScalar(node)) return node.value;
  const json: unknown =
    typeof node === 'object' && node !== null && 'toJSON' in node ? JSON.parse(JSON.stringify(node)) : node;
  return json ?? null;
}

/** Returns a value of `metadata` as text. A number keeps its spelling, so that version 1.0 stays `1.0`. */
function textOf(node: unknown): string {
  const value = plainOf(node) ?? '';
  if (typeof value === 'string') return value;
  return (isScalar(node) ? node.source : undefined) ?? JSON.stringify(value);
}

function sentence(message: string): string {
  return message.endsWith('.') ? message : `${message}.`;
}
