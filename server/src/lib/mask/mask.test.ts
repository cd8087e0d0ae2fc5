import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMask, type Mask } from './mask.ts';

const replacement = '********';

/**
 * Texts of at least eight bytes without surrounding blanks, with letters, characters that need escaping, and other
 * scripts.
 */
const value = fc
  .oneof(
    fc.stringMatching(/^[!-~]{8,60}$/),
    fc.stringMatching(/^[A-Za-z0-9_-]{8,40}$/),
    fc.stringMatching(/^[!-~][ -~]{10,200}[!-~]$/),
    fc.string({ unit: 'grapheme', minLength: 8, maxLength: 30 }),
    fc
      .array(fc.constantFrom('%', '\\', '&', '+', '"', "'", '<', ' ', '/', '2', '5', 'n', 'u', 'é', '漢', '🔑'), {
        minLength: 8,
        maxLength: 24,
      })
      .map((parts) => parts.join('')),
  )
  .map((text) => text.toWellFormed().replaceAll('\r', '').replaceAll('\n', '').trim())
  .filter((text) => Buffer.byteLength(text) >= 8);
const bytes = fc.uint8Array({ maxLength: 4 });
const around = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 30 }),
  fc.constantFrom('', '100%', '\\', '&', 'x\\\\', '%2', '&amp', '\n+', '"', '=', '\\u00'),
);

function inBase64(text: string, before: Uint8Array, after: Uint8Array): string {
  return Buffer.concat([before, Buffer.from(text), after]).toString('base64');
}

/** Returns the part of the encoding that depends on the value alone. */
function coreInBase64(text: string, before: number): string {
  const all = inBase64(text, Buffer.alloc(before), Buffer.alloc(2));
  return all.slice(Math.ceil((before * 8) / 6), Math.floor(((before + Buffer.byteLength(text)) * 8) / 6));
}

function percentEncoded(text: string, which: (index: number) => boolean, isUpper: boolean): string {
  return [...Buffer.from(text)]
    .map((byte, index) => {
      const plain = byte > 32 && byte < 127 && byte !== 37 && byte !== 43;
      if (plain && !which(index)) return String.fromCharCode(byte);
      const hex = byte.toString(16).padStart(2, '0');
      return `%${isUpper ? hex.toUpperCase() : hex}`;
    })
    .join('');
}

const html: Record<string, string> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;', "'": '&#39;' };
const inHtml = (text: string): string => text.replaceAll(/[<>&"']/g, (sign) => html[sign] ?? sign);
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const inAsciiJson = (text: string): string =>
  inJson(text).replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const units = (text: string): string =>
  text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** A spelling of a value, and the part that must not remain. */
const spelled = fc
  .tuple(value, bytes, bytes, fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }), fc.integer({ min: 8, max: 80 }))
  .chain(([secret, before, after, flags, width]) => {
    const wrap = (text: string, end: string): string => text.replaceAll(new RegExp(`(.{${width}})`, 'g'), `$1${end}`);
    const base64 = inBase64(secret, before, after);
    const core = coreInBase64(secret, before.length % 3);
    const hex = Buffer.from(secret).toString('hex');
    const chosen = (index: number): boolean => flags[index % flags.length] === true;
    const spellings: [name: string, text: string, rest: string][] = [
      ['raw', secret, secret],
      ['base64', base64, core],
      ['base64 without padding', base64.replaceAll('=', ''), core],
      ['base64url', base64.replaceAll('+', '-').replaceAll('/', '_'), core.replaceAll('+', '-').replaceAll('/', '_')],
      ['base64 in lines', wrap(base64, '\n'), core],
      ['base64 in lines of a diff', wrap(base64, '\n+'), core],
      ['base64 in lines of Windows', wrap(base64, '\r\n'), core],
      ['base64 in an address', encodeURIComponent(base64), encodeURIComponent(core)],
      ['base64 in lines in JSON', inJson(wrap(base64, '\n')), inJson(core)],
      ['hexadecimal', hex, hex],
      ['hexadecimal in capitals', hex.toUpperCase(), hex.toUpperCase()],
      ['hexadecimal with blanks', hex.replaceAll(/(..)/g, '$1 '), hex.replaceAll(/(..)/g, '$1 ').trim()],
      ['percent-encoded', percentEncoded(secret, () => true, true), percentEncoded(secret, () => true, true)],
      ['partly percent-encoded', percentEncoded(secret, chosen, false), percentEncoded(secret, chosen, false)],
      ['an address', encodeURIComponent(secret), encodeURIComponent(secret)],
      [
        'an address twice',
        encodeURIComponent(encodeURIComponent(secret)),
        encodeURIComponent(encodeURIComponent(secret)),
      ],
      [
        'a form',
        new URLSearchParams({ a: secret }).toString().slice(2),
        new URLSearchParams({ a: secret }).toString().slice(2),
      ],
      ['JSON', inJson(secret), inJson(secret)],
      ['JSON in JSON', inJson(inJson(secret)), inJson(inJson(secret))],
      ['JSON in ASCII', inAsciiJson(secret), inAsciiJson(secret)],
      ['JSON in units', units(secret), units(secret)],
      ['HTML', inHtml(secret), inHtml(secret)],
      ['a shell', secret.replaceAll("'", "'\\''"), secret.replaceAll("'", "'\\''")],
      ['a shell in JSON', inJson(secret.replaceAll("'", "'\\''")), inJson(secret.replaceAll("'", "'\\''"))],
      ['HTML by numbers', Array.from(secret, (sign) => `&#${sign.codePointAt(0) ?? 0};`).join(''), '&#'],
    ];
    return fc.constantFrom(...spellings).map(([name, text, rest]) => ({ secret, name, text, rest }));
  });

/** Splits bytes at these positions. */
function pieces(content: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (content.length + 1)).sort((a, b) => a - b), content.length];
  return places.slice(1).map((end, index) => content.subarray(places[index], end));
}

function streamed(secrets: string[], content: Buffer, cuts: readonly number[]): Buffer {
  const stream = createMask(secrets).stream();
  return Buffer.concat([...pieces(content, cuts).map((piece) => stream.push(piece)), stream.end()]);
}

const cuts = fc.array(fc.nat(), { maxLength: 12 });

function finds(mask: Mask, content: string | Buffer): boolean {
  const whole = Buffer.from(content);
  const stream = mask.stream();
  return !Buffer.concat([stream.push(whole), stream.end()]).equals(whole);
}

describe('a value', () => {
  test('is left nowhere, in whatever spelling, place and pieces', () => {
    fc.assert(
      fc.property(spelled, around, around, cuts, (one, before, after, places) => {
        const content = Buffer.from(`${before}${one.text}${after}`);
        const masked = streamed([one.secret], content, places).toString();
        expect(masked).toContain(replacement);
        if (!`${before}${after}${replacement}`.includes(one.rest))
          expect(masked.replaceAll(/\r?\n\+?/g, '')).not.toContain(one.rest);
        expect(finds(createMask([one.secret]), content)).toBe(true);
        expect(finds(createMask([one.secret]), masked)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  test('is taken out of a stream as it is out of the whole', () => {
    fc.assert(
      fc.property(fc.array(spelled, { minLength: 1, maxLength: 5 }), around, cuts, (many, between, places) => {
        const content = many.map(({ text }) => text).join(between.toWellFormed());
        const secrets = many.map(({ secret }) => secret);
        expect(streamed(secrets, Buffer.from(content), places).toString()).toBe(createMask(secrets).text(content));
      }),
      { numRuns: 1_000 },
    );
  });

  test('leaves everything else as it is, byte for byte', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 500 }),
        fc.array(value, { maxLength: 5 }),
        cuts,
        (noise, secrets, places) => {
          const content = Buffer.from(noise);
          fc.pre(!finds(createMask(secrets), content));
          expect(streamed(secrets, content, places).equals(content)).toBe(true);
        },
      ),
      { numRuns: 1_000 },
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), value, (text, secret) => {
        fc.pre(!text.includes(secret));
        expect(createMask([secret]).text(text)).toBe(text);
      }),
    );
  });

  test('goes with all that surrounds it in the order it came', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-m ]{0,12}$/)),
        fc.stringMatching(/^Z[N-Y]{8,12}$/),
        cuts,
        (words, secret, places) => {
          const content = Buffer.from(words.join(secret));
          expect(streamed([secret], content, places).toString()).toBe(words.join(replacement));
        },
      ),
    );
  });
});

const key = `-----BEGIN PRIVATE KEY-----
MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu
KUpRKfFLfRYC9AIKjbJTWit+CqvjWYzvQwECAwEAAQJAIJLixBy2qpFoS4DSmoEm
vENZiaYg==
-----END PRIVATE KEY-----
`;

describe('a value of several lines', () => {
  const [begin = '', first = '', second = '', short = ''] = key.split('\n');

  test('is found line by line, but its frame alone is not it', () => {
    const { text } = createMask([key]);
    expect(text(`a ${first} b`)).toBe(`a ${replacement} b`);
    expect(text(`1: ${second}`)).toBe(`1: ${replacement}`);
    expect(text(`${begin}\n${short}`)).toBe(`${begin}\n${short}`);
  });

  test('leaves a listing its numbers and a diff its signs', () => {
    const { text } = createMask([key]);
    const lines = key.trim().split('\n');
    const listing = lines.map((line, index) => `${index + 7}\t${line}`).join('\n');
    const masked = lines.map((_line, index) => `${index + 7}\t${replacement}`).join('\n');
    expect(text(`6\tbefore\n${listing}\n12\tafter`)).toBe(`6\tbefore\n${masked}\n12\tafter`);
    const added = lines.map((line) => `+${line}`).join('\n');
    expect(text(` a\n${added}\n b`)).toBe(` a\n${lines.map(() => `+${replacement}`).join('\n')}\n b`);
    expect(text(key.replaceAll('\n', '\r\n'))).not.toContain(short);
    expect(text(JSON.stringify({ key }))).toBe(`{"key":"${replacement}\\n"}`);
  });

  test('is told from what anybody may write by its telling lines alone', () => {
    const account = `{\n  "type": "service_account",\n  "private_key": "MIIEvQIBADANBgkqhkiG9w0BAQ"\n}`;
    const mask = createMask([account], { lines: 'telling' });
    expect(finds(mask, '"type": "service_account",')).toBe(false);
    expect(finds(mask, 'x = "private_key": "MIIEvQIBADANBgkqhkiG9w0BAQ"')).toBe(true);
    expect(finds(mask, account)).toBe(true);
  });
});

describe('a mask', () => {
  test('takes out the longer of two values, and both where they overlap', () => {
    const { text } = createMask(['abcdefgh', 'abcdefgh-ijkl', 'ijkl-mnopq']);
    expect(text('1 abcdefgh 2 abcdefgh-ijkl 3 abcdefgh-ijkl-mnopq 4')).toBe(
      `1 ${replacement} 2 ${replacement} 3 ${replacement} 4`,
    );
  });

  test('leaves values of fewer than eight bytes alone', () => {
    expect(createMask(['1234567', ' 12345 ', '']).text('1234567 12345')).toBe('1234567 12345');
    expect(createMask(['12345678']).text('12345678')).toBe(replacement);
    expect(createMask(['пароль']).text('пароль')).toBe(replacement);
  });

  test('holds back only what may be a beginning', () => {
    const stream = createMask(['secret-value']).stream();
    expect(stream.push(Buffer.from('the sec')).toString()).toBe('the ');
    expect(stream.push(Buffer.from('tion ')).toString()).toBe('section ');
    expect(stream.push(Buffer.from('secret-valu')).toString()).toBe('');
    expect(stream.end().toString()).toBe('secret-valu');
  });

  test('lets a line out when it ends', () => {
    const secrets = Array.from({ length: 200 }, (_, index) =>
      Buffer.from(`${index} ${Math.sin(index)}`).toString('base64'),
    );
    const stream = createMask(secrets).stream();
    for (const word of [
      'waits',
      'tick 33',
      'total 8',
      'a=b',
      'deadbeef',
      'PASS src/a.test.ts',
      'c3VwZXI=',
      '+added',
      'de ad',
    ]) {
      expect(stream.push(Buffer.from(`${word}\n`)).toString()).toBe(`${word}\n`);
    }
  });

  test('reads a value of 16 KiB out of pieces of one byte', () => {
    const secret = Array.from({ length: 16_384 }, (_, index) =>
      String.fromCharCode(97 + ((index * 7 + (index >> 3)) % 26)),
    ).join('');
    const content = Buffer.from(`<${secret}>`);
    const stream = createMask([secret]).stream();
    const out = [...content].map((_byte, index) => stream.push(content.subarray(index, index + 1)).toString());
    expect(`${out.join('')}${stream.end().toString()}`).toBe(`<${replacement}>`);
  });

  test('takes out whole what is made to take long, and goes on afterwards', () => {
    const mask = createMask([`${'a'.repeat(16_000)}b`, 'secret-value']);
    const { text, stream } = mask;
    const flood = '%61'.repeat(300_000);
    const masked = text(`begun ${flood}`);
    expect([masked.length < 50_000, masked.endsWith(replacement)]).toEqual([true, true]);
    expect(finds(mask, flood)).toBe(true);
    const filter = stream();
    const out: string[] = [];
    for (let at = 0; at < flood.length; at += 65_536)
      out.push(filter.push(Buffer.from(flood.slice(at, at + 65_536))).toString());
    out.push(filter.push(Buffer.from('\n')).toString());
    expect(out.join('').length).toBeLessThan(100_000);
    expect(filter.push(Buffer.from('the end: secret-value.')).toString()).toBe(`the end: ${replacement}.`);
  });

  test('takes out a run of values without an end as it comes, in pieces of any size', () => {
    const secret = `${'a'.repeat(2_000)}b`;
    const run = Buffer.from(secret.slice(0, -1).repeat(100)).toString('base64');
    for (const size of [1_000, 4_096, 65_536]) {
      const stream = createMask([secret]).stream();
      const during: string[] = [];
      for (let from = 0; from < run.length; from += size)
        during.push(stream.push(Buffer.from(run.slice(from, from + size))).toString());
      expect(during.slice(0, during.length / 2).join('')).toMatch(/^[YWFh]{0,4}\*+$/);
      const rest = `${stream.push(Buffer.from(' and on')).toString()}${stream.end().toString()}`;
      // The last bytes may be only the beginning of a value.
      expect(`${during.join('')}${rest}`).toMatch(/^[YWFh]{0,4}\*{16,}[YWFhE=]{0,2700} and on$/);
    }
  });

  test('leaves what begins like a long value as it is, however often', () => {
    const mask = createMask([`${'a'.repeat(16_000)}b`]);
    const { text } = mask;
    const flood = 'a'.repeat(4_000_000);
    expect(finds(mask, flood)).toBe(false);
    expect(text(`${flood}b`)).toBe(`${'a'.repeat(4_000_000 - 16_000)}${replacement}`);
  });

  test('leaves what is like many values and holds none of them as it is', () => {
    const { text } = createMask(Array.from({ length: 200 }, () => randomBytes(48).toString('base64')));
    const random = randomBytes(3_000_000);
    for (const harmless of [random.toString('base64'), random.toString('hex')]) expect(text(harmless)).toBe(harmless);
  });
});
