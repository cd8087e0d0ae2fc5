import { setImmediate as turn } from 'node:timers/promises';
import { findClosest } from '../../src/adapters/agent/builtin/tools/closest.ts';
import { ChangeReader } from '../../src/git/change-reader.ts';
import { gitFailure } from '../../src/git/native.ts';
import { createPatchSplitter } from '../../src/git/patch-splitter.ts';
import { readNoteFile } from '../../src/features/knowledge/front-matter.ts';
import { planImport } from '../../src/features/knowledge/import-plan.ts';
import { memoryOf } from '../../src/features/memory/projection.ts';
import { inspect } from '../../src/features/skills/skill-file.ts';
import { createUsageMeter } from '../../src/gateway/model/usage.ts';
import { problemsOfValue } from '../../src/lib/json-schema.ts';
import { matchesAny } from '../../src/lib/patterns.ts';
import { whyCheckDidNotRun } from '../../src/runtime/session/checks/could-not-run.ts';
import { toToolAnswer } from '../../src/runtime/mcp-servers/tool-result.ts';
import { maskCases } from './masks.ts';
import { kib, mib, prose, repeated } from './sizes.ts';
import type { HostileCase } from './stand-still.ts';

function push(changes: string): void {
  const bytes = Buffer.from(changes);
  const reader = new ChangeReader();
  for (let at = 0; at < bytes.length; at += 64 * kib) reader.push(bytes.subarray(at, at + 64 * kib));
}

async function split(bytes: Buffer): Promise<void> {
  const files = [{ sections: 1, binary: false }];
  const splitter = createPatchSplitter({ files, maxFileBytes: mib, maxTotalBytes: 16 * mib });
  for (let at = 0; at < bytes.length; at += 64 * kib) {
    splitter.push(bytes.subarray(at, at + 64 * kib));
    await turn();
  }
  Array.from(splitter.end());
}

function gitCases(): HostileCase[] {
  const zero = '0'.repeat(40);
  const [words, headers] = [
    Buffer.from(repeated(` ${prose}`, 2 * mib)),
    Buffer.from(repeated('\ndiff --git ', 2 * mib)),
  ];
  return [
    {
      path: 'what git says of a failure',
      input: '64 KiB of one word, and of beginnings of URLs',
      harmless: () => gitFailure('fetch', 1, repeated(prose, 64 * kib)),
      hostile: () => [gitFailure('fetch', 1, 'a'.repeat(64 * kib)), gitFailure('fetch', 1, repeated('a://', 64 * kib))],
    },
    {
      path: "a diff's list of files",
      input: '2 MiB of tiny names',
      harmless: () => push(`:100644 100644 ${zero} ${zero} M\0${'x'.repeat(4_000)}\0`.repeat(500)),
      hostile: () => push(`:100644 100644 ${zero} ${zero} M\0x\0`.repeat(20_000)),
    },
    {
      path: "a diff's patch",
      input: '2 MiB of headers of sections',
      harmless: () => split(words),
      hostile: () => split(headers),
    },
  ];
}

function knowledgeCases(): HostileCase[] {
  const skill = (head: string) => inspect([{ path: 'SKILL.md', content: Buffer.from(head), executable: false }]);
  const note = (head: string) => readNoteFile(Buffer.from(head)).catch(() => undefined);
  const yaml = {
    'keys of a mapping': (size: number) =>
      Array.from({ length: size / 9 }, (_, at) => `k${at.toString(36)}: 1`).join('\n'),
    'lists in one another': (size: number) => `a: ${'['.repeat(size - 8)}`,
    'aliases of aliases': (size: number) =>
      Array.from({ length: size / 40 }, (_, at) => `k${at}: &a${at} [${`*a${at - 1},`.repeat(9)}]`)
        .join('\n')
        .slice(0, size),
    'quotation marks': (size: number) => `a: ${repeated(`"'`, size - 8)}`,
  };
  const revision = (content: string, at: number) => ({
    memory_id: `mem_${at}`,
    revision: 1,
    provider: 'local' as const,
    repo: 'a/b',
    title: 'x',
    content,
    deleted: false,
    created_at: new Date(0),
  });
  const memory = (content: string) => {
    const place = { provider: 'local', repo: 'a/b' } as const;
    const own = { ...place, agent: 'codex', path: 'a.md', content, sha256: '0', updated_at: new Date(0) };
    return memoryOf([revision(content, 1)], [own]);
  };
  const files = (count: number, name: (at: number) => string, body: string) =>
    Array.from({ length: count }, (_, at) => ({
      noteId: '',
      content: { name: name(at), trigger: 'x', body, scope: 'organization', repo_filter: '', enabled: true } as const,
    }));
  return [
    ...Object.entries(yaml).flatMap(([input, make]): HostileCase[] => [
      {
        path: "a skill's front matter",
        input: `64 KiB: ${input}`,
        harmless: () => skill(`---\nname: a\ndescription: ${'x '.repeat(32_000)}\n---\n`),
        hostile: () => skill(`---\n${make(64_000)}\n---\n`),
      },
      {
        path: "a note's front matter",
        input: `160 KiB: ${input}`,
        harmless: () => note(`---\nname: a\ntrigger: ${'x '.repeat(80_000)}\n---\n`),
        hostile: () => note(`---\n${make(160_000)}\n---\n`),
      },
    ]),
    {
      path: 'an import of notes',
      input: '10,000 files with one name; 64 MiB of them',
      harmless: () =>
        planImport(
          files(10_000, (at) => `note ${at}`, 'x'),
          [],
        ),
      hostile: async () => {
        await planImport(
          files(10_000, () => 'note', 'x'),
          [],
        );
        await planImport(
          files(650, () => 'note', 'x'.repeat(100_000)),
          [],
        );
      },
    },
    {
      path: "an agent's own memory",
      input: '240 KiB of beginnings of comments',
      harmless: () => memory(repeated(prose, 240_000)),
      hostile: () => memory(repeated('<!--', 240_000)),
    },
  ];
}

async function feed(bytes: Buffer, type: string): Promise<void> {
  const meter = createUsageMeter('messages', type, type.startsWith('text/'));
  for (let at = 0; at < bytes.length; at += 64 * kib) {
    await meter.push(bytes.subarray(at, at + 64 * kib));
    await turn();
  }
  await meter.read(true, 1);
}

function modelCases(): HostileCase[] {
  const words = Buffer.from(`{"x":"${repeated('word ', 4 * mib)}"}`);
  const objects = Buffer.from(`{"x":[${repeated('{},', 4 * mib - 1)}0]}`);
  const wordEvents = Buffer.from(`data: {"x":"${repeated('word ', 16 * kib)}"}\n\n`.repeat(64));
  const tinyEvents = Buffer.from(repeated('data: 1\n\n', 256 * kib));
  const objectEvent = Buffer.from(`data: {"x":[${repeated('{},', mib)}0]}\n\n`);
  return [
    {
      path: "a model's answer",
      input: '4 MiB of objects without a field',
      harmless: () => feed(words, 'application/json'),
      hostile: () => feed(objects, 'application/json'),
    },
    {
      path: "a model's stream",
      input: 'tiny events; objects without a field',
      harmless: () => feed(wordEvents, 'text/event-stream'),
      hostile: async () => {
        await feed(tinyEvents, 'text/event-stream');
        await feed(objectEvent, 'text/event-stream');
      },
    },
  ];
}

function agentCases(): HostileCase[] {
  const lines = (line: string): string => repeated(`${line}\n`, 2 * mib);
  const parts = (count: number, text: string) =>
    toToolAnswer({ content: Array.from({ length: count }, () => ({ type: 'text', text })) });
  const [far, near] = [lines(prose.trim()), lines('a b c d e f g h '.repeat(6))];
  return [
    {
      path: 'an edit that finds nothing',
      input: '20,000 lines that are nearly the one',
      harmless: () => findClosest(far, 'nothing like it'),
      hostile: () => findClosest(near, `${'a b c d e f g h '.repeat(6)}x\n`.repeat(60)),
    },
    {
      path: "a tool server's answer",
      input: '20,000 parts of a letter',
      harmless: () => parts(10, 'x'.repeat(100 * kib)),
      hostile: () => parts(20_000, 'x'),
    },
    {
      path: "a check's last words",
      input: '4 KiB of colons, numbers, line breaks',
      harmless: () => last(repeated(prose, 4 * kib)),
      hostile: () =>
        ['1', ': ', '\n', 'error', ' passed, 0 ', '\u001b[0m'].map((text) => last(repeated(text, 4 * kib))),
    },
    {
      path: 'patterns of names',
      input: 'a hundred stars',
      harmless: () => matchesAny(['word*'], repeated(prose, 4 * kib)),
      hostile: () => matchesAny(['a*'.repeat(100)], 'a'.repeat(4 * kib)),
    },
    {
      path: 'structured output',
      input: '256 KiB of lists, of escapes',
      harmless: () => problemsOfValue({}, 'x'.repeat(200 * kib)),
      hostile: () => problemsOfValue({ pattern: '^(a+)+$' }, JSON.parse(`[${repeated('[],', 60 * kib)}0]`)),
    },
  ];
}

function last(outputTail: string): string {
  return whyCheckDidNotRun({ exitCode: 1, timedOut: false, outOfMemory: false, outputTail });
}

/** Cases for untrusted input of workers and the API outside of a request. */
export function pieceCases(): HostileCase[] {
  return [...maskCases(), ...gitCases(), ...knowledgeCases(), ...modelCases(), ...agentCases()];
}
