import Fastify from 'fastify';
import { deserializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import { ProgramConnection } from '../../src/adapters/browser/playwright/connection.ts';
import { diffJson, parseDiff } from '../../src/features/repositories/diff-json.ts';
import { installAssets } from '../../src/http/asset.ts';
import { ProcessTransport } from '../../src/runtime/mcp-servers/process-transport.ts';
import { kib, mib } from './sizes.ts';
import type { HostileCase } from './stand-still.ts';

function diffOf(count: number, patch: string) {
  const file = {
    path: 'a',
    old_path: '',
    status: 'modified',
    binary: false,
    additions: 1,
    deletions: 1,
    patch,
  } as const;
  return {
    base_commit: '',
    head_commit: '',
    additions: 1,
    deletions: 1,
    files: Array.from({ length: count }, () => file),
  };
}

/** Stores a diff as a worker does, then reads and sends it for a response. */
async function keepAndSend(diff: ReturnType<typeof diffOf>): Promise<void> {
  const kept = Buffer.concat(await diffJson(diff).toArray());
  for await (const _ of diffJson(await parseDiff(kept))) continue;
}

function diffCases(): HostileCase[] {
  const diffs = {
    '16 MiB of letters that are not Latin': diffOf(16, `${'x'.repeat(200)}€`.repeat(mib / 203)),
    '16 MiB of line breaks': diffOf(16, '\n'.repeat(mib)),
    '100,000 files': diffOf(100_000, 'x'.repeat(150)),
  };
  return Object.entries(diffs).map(([input, diff]) => ({
    path: 'the diff of a session',
    input,
    harmless: () => keepAndSend(diffOf(1, 'x')),
    hostile: () => keepAndSend(diff),
  }));
}

/** Returns a program that prints this, in pieces as they come from a sandbox. */
function printing(bytes: Buffer) {
  const ended = Promise.withResolvers<{ exitCode: number; outOfMemory: boolean }>();
  let at = 0;
  const stdout = new ReadableStream<Uint8Array>({
    async pull(to) {
      await new Promise((resolve) => setImmediate(resolve));
      if (at >= bytes.length) {
        to.close();
        return ended.resolve({ exitCode: 0, outOfMemory: false });
      }
      to.enqueue(bytes.subarray(at, at + 192 * kib));
      at += 192 * kib;
    },
  });
  const nothing = new ReadableStream<Uint8Array>({ start: (to) => to.close() });
  return {
    stdin: new WritableStream<Uint8Array>(),
    stdout,
    stderr: nothing,
    exited: ended.promise,
    kill: () => ended.resolve({ exitCode: 1, outOfMemory: false }),
  };
}

async function speak(bytes: Buffer): Promise<void> {
  const transport = new ProcessTransport(printing(bytes), deserializeMessage);
  const { promise, resolve } = Promise.withResolvers<void>();
  transport.onclose = resolve;
  await transport.start();
  await promise;
}

async function show(bytes: Buffer): Promise<void> {
  await new ProgramConnection(printing(bytes)).ended;
}

function programCases(): HostileCase[] {
  const message = (text: string) => Buffer.from(`{"jsonrpc":"2.0","id":1,"result":{"content":[${text}]}}\n`);
  const messages = {
    'a text of escapes': message(`"${'\\n'.repeat(4 * mib - 100)}"`),
    'a text of letters that are not Latin': message(`"${`${'x'.repeat(200)}€`.repeat((8 * mib) / 203 - 1)}"`),
    'objects without a field': message(`${'{},'.repeat((8 * mib) / 3 - 100)}0`),
    'tiny lines': Buffer.from('{}\n'.repeat(mib / 3)),
    'a line without an end': Buffer.alloc(9 * mib, 'x'),
  };
  const picture = (text: string) => Buffer.from(`{"id":1,"result":{"url":"","title":"","data":${text}}}\n`);
  return [
    ...Object.entries(messages).map(([input, bytes]) => ({
      path: 'a program of a tool server',
      input: `8 MiB: ${input}`,
      harmless: () => speak(message('')),
      hostile: () => speak(bytes),
    })),
    ...[picture(`"${'A'.repeat(8 * mib)}"`), picture(`[${'{},'.repeat(3 * mib)}0]`)].map((bytes, at) => ({
      path: 'the program of a browser',
      input: ['a picture of 8 MiB', '9 MiB of objects without a field'][at] ?? '',
      harmless: () => show(picture('""')),
      hostile: () => show(bytes),
    })),
  ];
}

/** Cases for first requests of assets. */
function assetCases(): HostileCase[] {
  return ['/openapi.json', '/openapi.yaml', '/docs', '/docs/js/scalar.js'].map((path) => {
    const ask = async (asked: string): Promise<void> => {
      const app = Fastify();
      installAssets(app);
      await app.ready();
      const { statusCode } = await app.inject(asked);
      if (asked === path && statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
      await app.close();
    };
    return { path: `GET ${path}`, input: 'the first time', harmless: () => ask('/x'), hostile: () => ask(path) };
  });
}

export function largePieces(): HostileCase[] {
  return [...diffCases(), ...programCases(), ...assetCases()];
}
