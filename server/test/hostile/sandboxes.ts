import { matchLines, countMatches, replaceAll } from '../../src/adapters/agent/builtin/tools/replace.ts';
import { numberLines } from '../../src/adapters/agent/builtin/tools/read.ts';
import { formatMatches } from '../../src/adapters/agent/builtin/tools/search.ts';
import { parseAnswer } from '../../src/adapters/browser/playwright/connection.ts';
import type { DiffFile } from '../../src/git/diff.ts';
import { readChangedFiles } from '../../src/git/changed-files.ts';
import { parseEvent } from '../../src/adapters/sandbox/supervisor/protocol.ts';
import { resolve, type Candidate } from '../../src/features/skills/resolve.ts';
import { wordsOfPrompt } from '../../src/features/knowledge/prompt-words.ts';
import { issuesOfFiles } from '../../src/features/skills/bundle.ts';
import { findAddedFiles } from '../../src/runtime/session/checks/added-files.ts';
import { chooseCheck } from '../../src/runtime/session/checks/check.ts';
import { sensitiveFiles } from '../../src/git/sensitive-files.ts';
import { collectTools } from '../../src/runtime/mcp-servers/tool-list.ts';
import { toolNames } from '../../src/runtime/mcp-servers/tool-names.ts';
import { kib, mib, prose, repeated } from './sizes.ts';
import type { HostileCase } from './stand-still.ts';

const list = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** Cases for lines that programs inside a sandbox send to the worker. */
function lineCases(): HostileCase[] {
  const tried = (read: (line: Buffer) => unknown, line: string) => {
    try {
      read(Buffer.from(line));
    } catch {
      // It was rejected.
    }
  };
  const lines = (size: number) => ({
    'objects without a field': `{"x":[${'{},'.repeat(size / 3 - 8)}0]}`,
    'names that are all different': `{${list(size / 14, (at) => `"${at.toString(36)}":0`).join(',')}}`,
    'lists in one another': '['.repeat(size),
  });
  const [picture, output] = ['a'.repeat(8 * mib), 'a'.repeat(256 * kib)];
  const answer = JSON.stringify({ id: 1, result: { url: 'x', title: '', contentType: 'image/png', data: picture } });
  const event = JSON.stringify({ event: 'output', id: 1, stream: 1, data: output });
  return [
    ...Object.entries(lines(12 * mib)).map(([input, line]): HostileCase => ({
      path: "a line of a browser's program",
      input: `12 MiB: ${input}`,
      harmless: () => parseAnswer(Buffer.from(answer)),
      hostile: () => tried(parseAnswer, line),
    })),
    ...Object.entries(lines(mib)).map(([input, line]): HostileCase => ({
      path: "a line of a sandbox's supervisor",
      input: `1 MiB: ${input}`,
      harmless: () => parseEvent(Buffer.from(event)),
      hostile: () => tried(parseEvent, line),
    })),
  ];
}

/** Cases for files that the built-in agent's tools read. */
function toolCases(): HostileCase[] {
  const size = 10 * mib;
  const [text, breaks, letters] = [repeated(prose, size), '\n'.repeat(size), 'a'.repeat(size)];
  const ended = `${breaks.slice(1)}a`;
  // Its first use puts its pieces together, which is no part of an edit.
  ended.indexOf('a');
  const edit = async (content: string, from: string, to: string): Promise<void> => {
    await countMatches(content, from);
    await matchLines(content, from, 20);
    await replaceAll(content, from, to);
  };
  const [lines, emptyLines] = [repeated('a\n', 4_000_000), breaks.slice(0, 4_000_000)];
  const page = { tools: list(16_000, (at) => ({ name: `a${at}`, inputSchema: { type: 'object' } })) };
  return [
    {
      path: 'an edit of every place',
      input: '10 MiB of one letter; of line breaks',
      harmless: () => edit(text, 'nothing like it', 'x'),
      hostile: async () => {
        await edit(letters, 'a', 'b');
        await edit(ended, 'a', 'b');
      },
    },
    {
      path: 'a file that is read',
      input: '10 MiB of line breaks',
      harmless: () => numberLines('a', text, 100, 2_000),
      hostile: () => numberLines('a', breaks, size - 10, 2_000),
    },
    {
      path: 'what a search found',
      input: '4 MB of tiny lines; of empty ones',
      harmless: () => formatMatches(text.slice(0, 4_000_000), 'a/', 200),
      hostile: async () => {
        await formatMatches(lines, 'a/', 200);
        await formatMatches(emptyLines, 'a/', 200);
      },
    },
    {
      path: "a tool server's list of tools",
      input: '16,000 tools; 200 that become one name',
      harmless: () => collectTools(async () => ({ tools: [], x: repeated(prose, mib) })),
      hostile: async () => {
        await collectTools(async () => page);
        toolNames(
          'a',
          list(200, (at) => `${'é'.repeat(200)}${'!'.repeat(at)}`),
        );
      },
    },
  ];
}

const changed = (count: number, path: (at: number) => string, status: DiffFile['status']) => ({
  files: list(count, (at): DiffFile => {
    return { path: path(at), old_path: path(at), status, binary: false, additions: 0, deletions: 0, patch: '' };
  }),
});

/** Cases for the content of a repository and its changes. */
function fileCases(): HostileCase[] {
  const paths = {
    'of 4 KB with two thousand directories': (at: number) => `${'a/'.repeat(2_000)}${at}`,
    'of 4 KB with two thousand dots': (at: number) => `${'a.'.repeat(2_000)}${at}`,
    'of 4 KB that seem to be tests': (at: number) => `${'test_'.repeat(800)}${at}`,
  };
  const one = 'a'.repeat(40);
  const place = { checkout: { directory: 'a', checkpointsPath: '' }, commit: one };
  const bring = (diff: { files: DiffFile[] }) => {
    const change = { base_commit: one, head_commit: one, additions: 0, deletions: 0, ...diff };
    return findAddedFiles({ command: `run ${list(1_000, (at) => `a/b${at}`).join(' ')}` }, [
      { ...place, diff: change },
    ]);
  };
  const raw = (path: string, size: number): Buffer =>
    Buffer.from(repeated(`:100644 100644 ${one} ${one} M\0${path}\0`, size));
  const [longNames, tinyNames] = [raw('x'.repeat(4_000), 16 * mib), raw('x', 16 * mib)];
  const check = (packageJson: string) =>
    chooseCheck({
      sessionCommand: '',
      agentCheck: undefined,
      repositories: [
        {
          directory: '',
          verifyCommand: '',
          files: new Map([
            ['package.json', packageJson],
            ['Makefile', repeated('test ', mib)],
          ]),
        },
      ],
    });
  return [
    ...Object.entries(paths).flatMap(([input, path]): HostileCase[] => [
      {
        path: 'test and build files of a change',
        input: `1,000 files ${input}`,
        harmless: () => sensitiveFiles(changed(1_000, (at) => `src/${at}.ts`, 'modified')),
        hostile: () => sensitiveFiles(changed(1_000, path, 'modified')),
      },
      {
        path: 'files that a check needs',
        input: `500 files ${input}`,
        harmless: () => bring(changed(500, (at) => `src/${at}.ts`, 'added')),
        hostile: () => bring(changed(500, path, 'added')),
      },
    ]),
    {
      path: 'files that two commits have differently',
      input: '16 MiB of tiny names',
      harmless: () => readChangedFiles(longNames),
      hostile: () => readChangedFiles(tinyNames),
    },
    {
      path: 'how a project is tested',
      input: 'package.json, 1 MiB of objects without a field',
      harmless: () => check(`{"x":"${repeated('word ', mib - 32)}"}`),
      hostile: () => check(`{"x":[${repeated('{},', mib - 34)}0]}`),
    },
    {
      path: "a skill's files",
      input: '30 paths of 64 KB with 32,000 directories',
      harmless: () =>
        issuesOfFiles(list(30, (at) => ({ path: `${'a'.repeat(64_000)}${at}`, content: empty, executable: false }))),
      hostile: () =>
        issuesOfFiles(list(30, (at) => ({ path: `${'a/'.repeat(32_000)}${at}`, content: empty, executable: false }))),
    },
  ];
}

const empty = Buffer.alloc(0);

/** Cases for texts that a prompt is compared with. */
function promptCases(): HostileCase[] {
  const skill = (at: number): Candidate => {
    const rest = { source: 'managed', revision: 1, digest: '', enabled: true, assignments: [] } as const;
    return { ...rest, id: `skl_${at}`, name: `a-${at}`, description: repeated('word ', 1_024) };
  };
  const skills = list(1_000, skill);
  const choose = (prompt: string, words: string[]) =>
    resolve(skills, { repositories: [], ids: null, prompt, words: skills.flatMap(() => [words, words]) });
  const size = 200_000;
  return [
    {
      path: 'skills for a prompt',
      input: '1,000 skills, beginnings of their names',
      harmless: () => choose(repeated(prose, size), []),
      hostile: () => [choose(repeated('a-', size), []), choose(repeated('a ', size), ['wo', 'rd', 'x'])],
    },
    {
      path: "a prompt's words",
      input: 'names of code, calls, marks, words without spaces',
      harmless: () => wordsOfPrompt(repeated(prose, size)),
      hostile: () => ['a.b`a`(', 'a-', '日本', '`', 'a://', '_$'].map((text) => wordsOfPrompt(repeated(text, size))),
    },
  ];
}

/** Cases for input of a worker from sandboxes and repositories, besides output and diffs. */
export function sandboxCases(): HostileCase[] {
  return [...lineCases(), ...toolCases(), ...fileCases(), ...promptCases()];
}
