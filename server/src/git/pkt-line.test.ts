import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPushReader, encodePkt, flushPkt, parsePushCommands, PktLineError, readPkt } from './pkt-line.ts';
import { readPushHead } from '../adapters/source-control/local/push-head.ts';
import { checkPush } from './ref-policy.ts';
import { parseReceiveReport, refusePush } from './receive-report.ts';

const a = 'a'.repeat(40);
const b = 'b'.repeat(40);
const none = '0'.repeat(40);

describe('packet lines', () => {
  test('what was encoded is read back, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 }), (payloads) => {
        const bytes = Buffer.concat([...payloads.map((payload) => encodePkt(payload)), flushPkt]);
        const seen: string[] = [];
        let offset = 0;
        for (let pkt = readPkt(bytes, offset); pkt?.kind === 'data'; pkt = readPkt(bytes, offset)) {
          seen.push(pkt.payload.toString('hex'));
          offset = pkt.next;
        }
        expect(seen).toEqual(payloads.map((payload) => Buffer.from(payload).toString('hex')));
        expect(readPkt(bytes, offset)).toEqual({ kind: 'flush', next: bytes.length });
      }),
    );
  });

  test('a length that is no hexadecimal number, is 3 or is above the maximum is refused', () => {
    for (const head of ['zzzz', '0003', 'fff5', '-001', ' 123']) {
      expect(() => readPkt(Buffer.from(head), 0)).toThrow(PktLineError);
    }
  });
});

describe('the command list of a push', () => {
  const id = fc.stringMatching(/^[0-9a-f]{40}$/);
  const command = fc.record({ ref: fc.stringMatching(/^refs\/heads\/[a-z0-9/äß-]{1,60}$/), old: id, new: id });

  test('arrives whole however the bytes are cut, and the pack begins where it says', () => {
    fc.assert(
      fc.property(
        fc.array(command, { maxLength: 8 }),
        fc.array(fc.stringMatching(/^[a-z-]{1,12}$/), { maxLength: 4 }),
        fc.uint8Array({ maxLength: 100 }),
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 }),
        (commands, capabilities, pack, cuts) => {
          const lines = commands.map(({ ref, old, new: next }, index) =>
            encodePkt(`${old} ${next} ${ref}${index === 0 ? `\0 ${capabilities.join(' ')}` : '\n'}`),
          );
          const body = Buffer.concat([encodePkt(`shallow ${a}`), ...lines, flushPkt, pack]);
          const reader = createPushReader();
          let result: ReturnType<typeof reader.push>;
          for (let at = 0, turn = 0; at < body.length && result === undefined; turn += 1) {
            const size = cuts[turn % cuts.length] ?? 1;
            result = reader.push(body.subarray(at, at + size));
            at += size;
          }
          expect(result?.commands).toEqual(commands);
          expect(result?.capabilities).toEqual(commands.length === 0 ? [] : capabilities);
          expect(body.subarray(result?.consumed)).toEqual(Buffer.from(pack));
        },
      ),
    );
  });

  test('arbitrary bytes give a list, a need for more, or a PktLineError, and nothing else', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
      fc.uint8Array({ maxLength: 120 }).map((bytes) => encodePkt(bytes)),
      fc.constantFrom(flushPkt, Buffer.from('0001'), encodePkt('push-cert\0x'), encodePkt('push-cert-end\n')),
      command.map((one) => encodePkt(`${one.old} ${one.new} ${one.ref}`)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        try {
          const parsed = parsePushCommands(Buffer.concat(pieces));
          for (const one of parsed?.commands ?? []) expect(one.new).toMatch(/^[0-9a-f]+$/);
        } catch (error) {
          expect(error).toBeInstanceOf(PktLineError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('the commands inside a push certificate count, also several in one packet', () => {
    const body = Buffer.concat([
      encodePkt('push-cert\0report-status'),
      encodePkt('certificate version 0.1\n'),
      encodePkt(`pusher Ada\n\n${none} ${a} refs/heads/main\n`),
      encodePkt(`${none} ${b} refs/heads/other\n`),
      encodePkt('-----BEGIN PGP SIGNATURE-----\n'),
      encodePkt('push-cert-end\n'),
      flushPkt,
    ]);
    expect(parsePushCommands(body)).toMatchObject({
      commands: [
        { ref: 'refs/heads/main', new: a },
        { ref: 'refs/heads/other', new: b },
      ],
      capabilities: ['report-status'],
    });
  });

  test('a line that only looks like the end of the certificate does not hide what follows it', () => {
    const body = Buffer.concat([
      encodePkt('push-cert\0x'),
      encodePkt('head\n\npush-cert-end\n'),
      encodePkt(`shallow ${a}\n${none} ${a} refs/heads/main\n`),
      encodePkt('push-cert-end\n'),
      flushPkt,
    ]);
    expect(parsePushCommands(body)?.commands).toEqual([{ ref: 'refs/heads/main', old: none, new: a }]);
  });

  test('bytes that are not UTF-8, a certificate without end and an endless list are refused', () => {
    expect(() =>
      parsePushCommands(encodePkt(Buffer.concat([Buffer.from(`${a} ${b} refs/heads/`), Buffer.from([0xff])]))),
    ).toThrow(PktLineError);
    expect(() => parsePushCommands(Buffer.concat([encodePkt('push-cert\0x'), flushPkt]))).toThrow(PktLineError);
    const reader = createPushReader();
    const line = encodePkt(`${a} ${b} refs/heads/${'x'.repeat(60_000)}`);
    expect(() => {
      for (let count = 0; count < 100; count += 1) reader.push(line);
    }).toThrow(PktLineError);
  });

  test('reading the head of a body keeps the whole body', async () => {
    const body = Buffer.concat([encodePkt(`${a} ${b} refs/heads/x\0report-status`), flushPkt, Buffer.from('PACK…')]);
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < body.length; at += 7) yield body.subarray(at, at + 7);
    }
    const { push, rest } = await readPushHead(pieces());
    const chunks: Uint8Array[] = [];
    for await (const chunk of rest) chunks.push(chunk);
    expect(push?.commands).toEqual([{ ref: 'refs/heads/x', old: a, new: b }]);
    expect(Buffer.concat(chunks)).toEqual(body);
  });
});

describe('the ref policy', () => {
  const rule = { allowedRef: 'refs/heads/guildhall/ses_1' };

  test('lets the session’s branch be created and updated, and the empty probe through', () => {
    expect(checkPush([{ ref: rule.allowedRef, old: none, new: a }], rule)).toEqual({ allowed: true });
    expect(checkPush([{ ref: rule.allowedRef, old: a, new: b }], rule)).toEqual({ allowed: true });
    expect(checkPush([], rule)).toEqual({ allowed: true });
    expect(parsePushCommands(flushPkt)?.commands).toEqual([]);
  });

  test('refuses every other ref, a tag, a deletion, another commit, and one bad command among good ones', () => {
    const good = { ref: rule.allowedRef, old: none, new: a };
    for (const bad of [
      { ref: 'refs/heads/main', old: none, new: a },
      { ref: 'refs/tags/v1', old: none, new: a },
      { ref: 'refs/heads/guildhall/ses_1/x', old: none, new: a },
      { ref: rule.allowedRef, old: a, new: none },
    ]) {
      expect(checkPush([good, bad], rule)).toMatchObject({ allowed: false, reason: expect.stringContaining(bad.ref) });
    }
    expect(checkPush([good, good], rule)).toMatchObject({ allowed: false, reason: expect.stringContaining('once') });
    expect(checkPush([good], { ...rule, allowedCommit: b }).allowed).toBe(false);
    expect(checkPush([good], { ...rule, allowedCommit: a }).allowed).toBe(true);
  });
});

describe('the report of a push', () => {
  test('a refusal is read back as one, with and without a side band', () => {
    const commands = [{ ref: 'refs/heads/main', old: none, new: a }];
    for (const capabilities of [
      ['report-status'],
      ['report-status-v2', 'side-band-64k'],
      ['report-status', 'side-band'],
    ]) {
      const body = refusePush({ commands, capabilities }, 'main is\nprotected');
      expect(parseReceiveReport(body, { commands, capabilities })).toEqual({
        unpack: 'ok',
        ok: [],
        refused: [{ ref: 'refs/heads/main', reason: 'main is protected' }],
      });
    }
    expect(refusePush({ commands, capabilities: [] }, 'x')).toHaveLength(0);
  });

  test('names no more refs than were pushed', () => {
    const lines = ['unpack ok\n', 'ok refs/heads/a\n', 'ok refs/heads/b\n'].map((line) => encodePkt(line));
    const commands = [{ ref: 'refs/heads/a', old: none, new: a }];
    const body = Buffer.concat([...lines, flushPkt]);
    expect(parseReceiveReport(body, { commands, capabilities: ['report-status'] })?.ok).toEqual(['refs/heads/a']);
  });
});
