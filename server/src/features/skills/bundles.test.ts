import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { zip, type ZipPart } from '../../../test/support/zip.ts';
import { tarOf } from '../../lib/tar.ts';
import { readZip, ZipRefused } from '../../lib/zip.ts';
import { digestOf, limits, problemOfPath, issuesOfFiles, withoutTopDirectory, type BundleFile } from './bundle.ts';
import { inspect } from './skill-file.ts';

const zipLimits = { files: limits.files, fileBytes: limits.fileBytes, totalBytes: limits.totalBytes };

const skill: ZipPart = { name: 'SKILL.md', content: '---\nname: x\ndescription: x\n---\n' };

/** Returns the files of an archive, or the reason for its rejection. */
async function outcome(bytes: Buffer): Promise<string> {
  try {
    const files = await readZip(bytes, zipLimits);
    return files.map(({ path }) => path).join(' ');
  } catch (error) {
    if (!(error instanceof ZipRefused)) throw error;
    return `refused: ${error.path}: ${error.message}`;
  }
}

describe('an archive', () => {
  test('made here byte by byte is read as packers make them', async () => {
    const files = await readZip(zip([skill, { name: 'run.sh', content: 'x', mode: 0o100755, method: 0 }]), zipLimits);
    expect(files).toMatchObject([
      { path: 'SKILL.md', executable: false },
      { path: 'run.sh', executable: true, content: Buffer.from('x') },
    ]);
    expect(
      await outcome(zip([{ name: 'a/', mode: 0o040755 }, skill, { name: '__MACOSX/._x' }, { name: 'b/.DS_Store' }])),
    ).toBe('SKILL.md');
  });

  test.each<[string, ZipPart[], RegExp]>([
    ['that leads out', [{ name: '../x' }], /refused.*\.\.\/x/],
    ['that leads out from below', [{ name: 'a/../../x' }], /refused/],
    ['with an absolute path', [{ name: '/etc/passwd' }], /refused.*absolute/],
    ['with a drive', [{ name: 'C:/x' }], /refused.*absolute/],
    ['with backslashes', [{ name: '..\\x' }], /refused.*invalid characters/],
    ['with a link', [{ name: 'x', content: '/etc/passwd', mode: 0o120777 }], /refused: x: This is a link/],
    ['with a device', [{ name: 'x', mode: 0o060644 }], /refused: x: This is a device/],
    ['with a pipe', [{ name: 'x', mode: 0o010644 }], /refused: x: This is a pipe/],
    ['with a socket', [{ name: 'x', mode: 0o140644 }], /refused: x: This is a socket/],
    ['with a directory that is a file', [{ name: 'x', mode: 0o040755 }], /refused: x: .*directory and a file/],
    ['that is encrypted', [{ ...skill, flags: 0x801 }], /refused: SKILL.md: The file is encrypted/],
    ['packed in another way', [{ ...skill, method: 12 }], /refused: SKILL.md: .*method 12/],
    ['with one path twice', [skill, skill], /refused: SKILL.md: .*twice/],
    ['with a wrong checksum', [{ ...skill, crc: 1 }], /refused: SKILL.md: The checksum/],
    [
      'that declares too large a file',
      [{ ...skill, size: 262_145 }],
      /refused: SKILL.md: The file has more than 262144/,
    ],
    [
      'that unpacks to more than it declares',
      [{ name: 'x', content: Buffer.alloc(900_000), size: 10 }],
      /refused: x: .*bytes/,
    ],
    ['that unpacks to less than it declares', [{ name: 'x', content: 'a', size: 100 }], /refused: x: .*bytes/],
    [
      'that is large as a whole',
      Array.from({ length: 5 }, (_, at) => ({ name: `f${at}`, content: Buffer.alloc(262_144) })),
      /refused: : .*1048576 bytes together/,
    ],
    ['with too many files', Array.from({ length: 101 }, (_, at) => ({ name: `f${at}` })), /refused: : .*more than 100/],
    [
      'of countless directories',
      Array.from({ length: 1_001 }, (_, at) => ({ name: `d${at}/`, mode: 0o040755 })),
      /refused: : .*more than 100/,
    ],
  ])('%s is refused', async (_, parts, expected) => {
    expect(await outcome(zip(parts))).toMatch(expected);
  });

  test('with a NUL in a name never gives a path that could be written elsewhere', async () => {
    const result = await outcome(zip([{ name: 'SKILL.md\0../../x' }]));
    expect(result.startsWith('refused') || problemOfPath(result) !== undefined).toBe(true);
  });

  test('cut anywhere, or with any byte changed, is read or refused, and never more', async () => {
    const whole = zip([skill, { name: 'a/b', content: 'text '.repeat(50) }]);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), fc.boolean(), async (at, byte, isCut) => {
        const bytes = Buffer.from(isCut ? whole.subarray(0, at) : whole);
        if (!isCut) bytes[at] = byte;
        await expect(outcome(bytes)).resolves.toEqual(expect.any(String));
      }),
      { numRuns: 400 },
    );
  });
});

const part = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('a', 'b', 'A', 'SKILL.md', 'x.sh', 'é', 'e\u0301', 'dir', '-rf', ' ', '~', '$(id)'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('..', '.', '', '...', '.git', '\\', 'C:', '\0', '\n', '..\\..', '/', '%2e%2e'),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 60 }) },
);
const path = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
const file = fc.record({
  path,
  content: fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
  executable: fc.boolean(),
});

describe('a bundle', () => {
  test('that is accepted can be written nowhere but below its own directory', () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(file, { minLength: 1, maxLength: 4 }), (files) => {
        if (issuesOfFiles(files).length > 0) return;
        accepted += 1;
        const places = files.map((one) => posix.resolve('/home/agent/.agents/skills/x', one.path));
        for (const place of places) expect(place.startsWith('/home/agent/.agents/skills/x/')).toBe(true);
        // A later entry does not replace an earlier one, or one of its parent directories.
        for (const [at, place] of places.entries())
          for (const [other, below] of places.entries())
            if (at !== other) expect(`${below}/`.startsWith(`${place}/`)).toBe(false);
      }),
      { numRuns: 5_000 },
    );
    expect(accepted).toBeGreaterThan(300);
  });

  test('comes out of a tar archive as it went in, with its digest', () => {
    const root = mkdtempSync(join(tmpdir(), 'guildhall-tar-'));
    fc.assert(
      fc.property(fc.array(file, { minLength: 1, maxLength: 6 }), fc.nat(1), (generated, isLong) => {
        const long = { path: `${'d'.repeat(100)}/${'f'.repeat(120)}`, content: Buffer.from('long'), executable: true };
        const files: BundleFile[] = isLong === 1 ? [...generated, long] : generated;
        if (issuesOfFiles(files).length > 0) return;
        const directory = mkdtempSync(join(root, 'x-'));
        const archive = join(root, 'x.tar');
        const named = files.map((one) => ({ ...one, path: `skill/${one.path}` }));
        writeFileSync(archive, tarOf(named, new Date()));
        execFileSync('tar', ['-xf', archive, '-C', directory]);
        for (const one of files) expect(readFileSync(join(directory, 'skill', one.path))).toEqual(one.content);
        const found = execFileSync('sh', ['-c', 'find . -type f -perm -u+x -printf x | wc -c'], {
          cwd: join(directory, 'skill'),
        });
        expect(Number(found)).toBe(files.filter(({ executable }) => executable).length);
      }),
      { numRuns: 60 },
    );
    rmSync(root, { recursive: true });
  });

  test('has the digest that coreutils compute, whatever the order of its files', () => {
    const root = mkdtempSync(join(tmpdir(), 'guildhall-digest-'));
    const files = ['SKILL.md', 'a.md', 'Z.md', 'zz.md'].map((name) => ({
      path: name,
      content: Buffer.from(`of ${name}\n`),
      executable: false,
    }));
    for (const one of files) writeFileSync(join(root, one.path), one.content);
    const command = 'find * -type f | LC_ALL=C sort | xargs sha256sum | sha256sum';
    const [sum] = execFileSync('sh', ['-c', command], { cwd: root, encoding: 'utf8' }).split(' ');
    expect(digestOf(files)).toBe(`sha256:${sum}`);
    expect(digestOf(files.toReversed())).toBe(digestOf(files));
    rmSync(root, { recursive: true });
  });

  test('loses one directory that holds everything, and no other', () => {
    const named = (...paths: string[]) =>
      withoutTopDirectory(paths.map((one) => ({ path: one }))).map((one) => one.path);
    expect(named('x/SKILL.md', 'x/a/b')).toEqual(['SKILL.md', 'a/b']);
    expect(named('SKILL.md', 'x/b')).toEqual(['SKILL.md', 'x/b']);
    expect(named('x/y/SKILL.md')).toEqual(['y/SKILL.md']);
    expect(named('x/SKILL.md', 'xy/a')).toEqual(['x/SKILL.md', 'xy/a']);
  });
});

describe('SKILL.md', () => {
  const told = (text: string) => {
    const { manifest, issues } = inspect([{ path: 'SKILL.md', content: Buffer.from(text), executable: false }]);
    return issues.length === 0 ? manifest.name : issues.map(({ line, message }) => `${line} ${message}`).join(' | ');
  };

  test.each([
    ['---\nname: a\ndescription: b\n---\n', 'a'],
    ['---\r\nname: a\r\ndescription: b\r\n---\r\n', 'a'],
    ['---\nname: a\ndescription: >\n  two\n  lines\nmetadata:\n  deep: [1, 2]\n---\nx', 'a'],
    ['\n---\nname: a\ndescription: b\n---\n', '1 The file must start'],
    ['---\nname: &x a\ndescription: *x\n---\n', '3 `description` must be text'],
    ['---\nname: a\nname: b\ndescription: c\n---\n', '3 Map keys must be unique'],
    ['---\n- a\n---\n', '2 The front matter must be a YAML mapping'],
    ['---\nname: a\ndescription: 2026-01-01\nlicense: null\n---\n', 'a'],
    ['---\nname: a\ndescription: !!binary YQ==\n---\n', '3 `description` must be text'],
    [
      `---\nname: a\ndescription: "${'x'.repeat(1_025)}"\n---\n`,
      '3 Limit exceeded: `description` can have at most 1024 characters, and this one has 1025',
    ],
    [
      `---\nname: a\ndescription: b\ncompatibility: ${'x'.repeat(501)}\n---\n`,
      '4 Limit exceeded: `compatibility` can have at most 500',
    ],
  ])('%j', (text, expected) => {
    expect(told(text)).toContain(expected);
  });

  test('that is made to take long is told soon', () => {
    const keys = Array.from({ length: 2_500 }, (_, at) => `k${at.toString(36)}`);
    const began = performance.now();
    expect(told(`---\n${keys.map((key) => `${key}:\n`).join('')}---\n`)).toContain('`name` is required');
    expect(told(`---\nmetadata: {${keys.join(',')}}\n---\n`)).toContain('at most 50 entries');
    expect(told(`---\nmetadata:\n  a: 1\n  a: 2\n---\n`)).toContain('4 Map keys must be unique');
    expect(told(`---\na: ${'['.repeat(16_000)}\n---\n`)).toContain('2 ');
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(told(`---\na: ${'x'.repeat(16_382)}\n---\n`)).toContain(
      '2 Limit exceeded: the front matter can have at most 16384 characters',
    );
  });

  test('of any bytes at all is judged', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.uint8Array({ maxLength: 300 })), (bytes) => {
        const body = typeof bytes === 'string' ? `---\n${bytes}\n---\n` : Buffer.from(bytes);
        const { issues } = inspect([{ path: 'SKILL.md', content: Buffer.from(body), executable: false }]);
        for (const { line } of issues) expect(line).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 1_000 },
    );
  });
});
