import { randomBytes } from 'node:crypto';
import { zip, type ZipPart } from '../support/zip.ts';
import { accepted } from './client.ts';
import type { RouteWorld } from './routes.ts';
import { kib, mib, prose, repeated, shared } from './sizes.ts';
import type { HostileCase } from './stand-still.ts';

interface Form {
  type: string;
  body: Buffer;
}

/** Builds a form of files, each in the field `file`, with any headers. */
function form(files: readonly { name: string; content: Buffer; head?: string }[], boundary = 'x'.repeat(30)): Form {
  const parts = files.flatMap(({ name, content, head = '' }) => [
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n${head}\r\n`),
    content,
    Buffer.from('\r\n'),
  ]);
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: shared(Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)])),
  };
}

const one = (content: Buffer, name = 'a', head = ''): Form => form([{ name, content, head }]);
const list = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const deep = (at: number): string => `${'a/'.repeat(32_000)}${at}`;

/** Returns forms that are expensive to parse. */
function forms(): Record<string, Form> {
  const boundary = '-'.repeat(70);
  const almost = Buffer.from(repeated(`\r\n--${boundary.slice(1)}x`, 8 * mib));
  return {
    '8 MiB that is nearly the boundary': form([{ name: 'a', content: almost }], boundary),
    '8 MiB of line breaks': one(Buffer.from(repeated('\r\n', 8 * mib))),
    'a name of 60 KB': one(Buffer.from('x'), repeated('%22a/\\\\', 60 * kib)),
    'parameters of 60 KB': one(Buffer.from('x'), `a"${repeated('; a="b', 60 * kib)}`),
    'a hundred headers': one(Buffer.from('x'), 'a', list(100, (at) => `x-${at}: ${repeated('a;', 600)}\r\n`).join('')),
    'a boundary of 10 KB': form([{ name: 'a', content: Buffer.from(repeated('\r\n--', mib)) }], 'x'.repeat(10_000)),
  };
}

/** Returns archives with extreme content for their size: directory entries, unpacked data, names. */
function archives(): Record<string, readonly ZipPart[]> {
  const skill: ZipPart = { name: 'SKILL.md', content: '---\nname: stock\ndescription: x\n---\n' };
  return {
    'names of 64 KB with 32,000 directories': [skill, ...list(7, (at) => ({ name: deep(at) }))],
    '900 directories': [skill, ...list(900, (at) => ({ name: `a${at}/` }))],
    'files of 256 KiB of one letter': [skill, ...list(3, (at) => ({ name: `a${at}`, content: 'a'.repeat(256 * kib) }))],
    'a file that says it is small': [skill, { name: 'a', content: 'a'.repeat(64 * mib), size: 10 }],
    'no archive behind its end': [{ name: 'a', content: repeated('PK\u0005\u0006', 64 * kib), method: 0 }],
  };
}

const note = (at: number, size: number): ZipPart => ({
  name: `${at}.md`,
  content: `---\nname: n${at}\ntrigger: t\n---\n${repeated(prose, size)}`,
});

/** Returns archives of notes; the second import finds them unchanged. */
function imports(): Record<string, readonly ZipPart[]> {
  return {
    '1,000 notes': list(1_000, (at) => note(at, 10)),
    '10,000 files that are none': list(10_000, (at) => ({ name: `${at}.md` })),
  };
}

/** Cases for file uploads. */
export function uploadCases({ api, client }: RouteWorld): HostileCase[] {
  const org = `${api.url}/v3/organizations/default`;
  const send = ({ type, body }: Form, path: string): Promise<void> => {
    const headers = { authorization: `Bearer ${api.adminKey}`, 'content-type': type };
    return accepted(client.send({ method: 'POST', url: `${org}${path}`, headers, body }));
  };
  const zipped = (parts: readonly ZipPart[]): Form => ({ type: 'application/zip', body: shared(zip(parts)) });
  const plainSkill = zipped([{ name: 'x', content: randomBytes(256 * kib), method: 0 }]);
  const plainNotes = one(zip([note(0, 1_000)]), 'a.zip');
  const manyFiles = form(list(1_000, (at) => ({ name: `${at}.md`, content: Buffer.from('x') })));
  const largeFile = one(Buffer.alloc(33 * 1_000_000, 'x'), 'a.md');
  return [
    ...Object.entries(forms()).map(([input, body]): HostileCase => {
      const plain = one(Buffer.from(repeated(prose, body.body.length)));
      return {
        path: 'POST …/attachments',
        input,
        harmless: () => send(plain, '/attachments'),
        hostile: () => send(body, '/attachments'),
      };
    }),
    ...Object.entries(archives()).map(([input, parts]): HostileCase => {
      const body = zipped(parts);
      return {
        path: 'POST …/skills/validate',
        input: `an archive: ${input}`,
        harmless: () => send(plainSkill, '/skills/validate'),
        hostile: () => send(body, '/skills/validate'),
      };
    }),
    ...Object.entries(imports()).map(([input, parts]): HostileCase => {
      const body = one(zip(parts), 'a.zip');
      return {
        path: 'POST …/knowledge/import',
        input: `an archive: ${input}`,
        harmless: () => send(plainNotes, '/knowledge/import'),
        hostile: () => send(body, '/knowledge/import'),
      };
    }),
    {
      path: 'POST …/knowledge/import',
      input: '1,000 files; 32 MiB of one',
      harmless: () => send(plainNotes, '/knowledge/import'),
      hostile: async () => {
        await send(manyFiles, '/knowledge/import');
        await send(largeFile, '/knowledge/import');
      },
    },
  ];
}
