import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { createMask, type Mask } from '../../src/lib/mask/mask.ts';
import { maskedJson } from '../../src/lib/mask/json.ts';
import { OutputEvents, Tail } from '../../src/runtime/session/log/output.ts';
import { kib, mib, prose, repeated } from './sizes.ts';
import type { HostileCase } from './stand-still.ts';

/** Secrets that resemble much text, and output that resembles them. */
const floods: Record<string, { values: string[]; text: string }> = {
  'a secret of one letter, percent-encoded': { values: [`${'a'.repeat(16_000)}b`], text: '%61' },
  'a secret of one letter, in base64 without an end': { values: [`${'a'.repeat(16_000)}b`], text: 'YWFh' },
  'a secret of one letter as it is': { values: [`${'a'.repeat(16_000)}b`], text: 'a' },
  'lines that begin with backslashes': {
    values: [Array.from({ length: 1_000 }, (_, line) => `${'\\'.repeat(12)}${line}`).join('\n')],
    text: '\\',
  },
  'many secrets, escaped letters': {
    values: Array.from({ length: 200 }, () => randomBytes(48).toString('base64')),
    text: String.raw`\u0061`,
  },
  'thousands of lines, base64': {
    values: Array.from({ length: 8 }, () =>
      Array.from({ length: 1_100 }, () => `${randomBytes(9).toString('base64')}ab`).join('\n'),
    ),
    text: randomBytes(48 * kib).toString('base64'),
  },
};

const plain = createMask(['one-secret-value']);

/** Streams bytes as a command's output arrives: in pieces, each in its own turn. */
async function stream(mask: Mask, bytes: Buffer): Promise<void> {
  const filter = mask.stream();
  const events = new OutputEvents();
  const tail = new Tail(64 * kib);
  for (let at = 0; at < bytes.length; at += 64 * kib) {
    const shown = filter.push(bytes.subarray(at, at + 64 * kib));
    events.bytes('stdout', shown);
    tail.push(shown);
    await turn();
  }
  filter.end();
}

/** Cases for texts that are searched for a session's secrets. */
export function maskCases(): HostileCase[] {
  return Object.entries(floods).flatMap(([input, { values, text }]): HostileCase[] => {
    const mask = createMask(values);
    const [long, harmless] = [repeated(text, 2 * mib), repeated(prose, 2 * mib)];
    const event = (words: string) => ({ data: { output: words.slice(0, 16 * kib) } });
    return [
      {
        path: 'secrets of a session',
        input,
        harmless: () => createMask([repeated(prose, 16 * kib)]),
        hostile: () => createMask(values),
      },
      {
        path: 'output of a command',
        input: `1 MiB in pieces: ${input}`,
        harmless: () => stream(plain, Buffer.from(harmless.slice(0, mib))),
        hostile: () => stream(mask, Buffer.from(long.slice(0, mib))),
      },
      {
        path: 'files and answers of tools',
        input: `2 MiB: ${input}`,
        harmless: () => plain.longText(harmless),
        hostile: () => mask.longText(long),
      },
      {
        path: 'texts of events',
        input: `16 KiB: ${input}`,
        harmless: () => maskedJson(event(harmless), (words) => plain.text(words)),
        hostile: () => maskedJson(event(long), (words) => mask.text(words)),
      },
    ];
  });
}
