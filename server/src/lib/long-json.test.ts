import { assert, asyncProperty, jsonValue, string } from 'fast-check';
import { expect, test } from 'vitest';
import { LongJson, UnusableJson } from './long-json.ts';
import { createMask } from './mask/mask.ts';

const limits = { values: 1_000, depth: 100 };
const read = (text: string | Buffer): Promise<LongJson> => LongJson.read(Buffer.from(text), limits);

async function rewritten(text: string | Buffer, secret = ''): Promise<string> {
  const json = await read(text);
  const mask = createMask([secret]);
  const write = await json.filtered(() => (secret === '' ? undefined : mask.stream()));
  return Buffer.concat(await write()).toString();
}

test('what is read and written again says the same, wherever its long texts are cut', async () => {
  const unit = string({ unit: 'binary', minLength: 1, maxLength: 12 });
  const long = unit.map((text) => text.repeat(Math.ceil(70_000 / text.length)));
  await assert(
    asyncProperty(jsonValue(), long, async (value, text) => {
      const whole = JSON.stringify({ [text]: [value, text, { text }], value });
      const escaped = whole.replaceAll(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
      for (const spelling of [whole, escaped])
        // An assertion that computes the difference would take long.
        expect((await rewritten(spelling)) === JSON.stringify(JSON.parse(whole))).toBe(true);
    }),
    { numRuns: 10 },
  );
});

test('of a name that stands there twice the last one counts, as for whoever parses it', async () => {
  const [first, last] = ['a'.repeat(1_000), 'b'.repeat(1_000)];
  expect(await rewritten(`{"x":"${first}","y":1,"x":"${last}"}`)).toBe(JSON.stringify({ x: last, y: 1 }));
});

test('a value is taken out of a long text wherever it lies, also when it is escaped', async () => {
  const secret = 'a-secret-value-of-some-length';
  for (let before = 32_740; before < 32_770; before += 1) {
    const text = 'x'.repeat(before);
    const expected = JSON.stringify([`${text}********y`]);
    expect(await rewritten(JSON.stringify([`${text}${secret}y`]), secret)).toBe(expected);
    expect(await rewritten(`["${text}\\u0061${secret.slice(1)}y"]`, secret)).toBe(expected);
  }
});

test.each([
  ['a text without an end', `{"x":"${'y'.repeat(1_000)}`],
  ['a backslash at the end', `{"x":"${'y'.repeat(1_000)}\\`],
  ['an escape that is none', `{"x":"${'y'.repeat(1_000)}\\x"}`],
  ['half an escape', `{"x":"${'y'.repeat(1_000)}\\u00"}`],
  ['a line break in a text', `{"x":"${'y'.repeat(1_000)}\n"}`],
  ['a text behind another one', `{"x":"${'y'.repeat(1_000)}""${'y'.repeat(1_000)}"}`],
])('%s is no JSON', async (_, text) => {
  await expect(rewritten(text)).rejects.toThrow(UnusableJson);
});

test('what is beyond its limits is refused, without its long texts', async () => {
  await expect(read(`[${'1,'.repeat(1_000)}1]`)).rejects.toThrow('contains more than 1000 values');
  await expect(read(`[${'"",'.repeat(1_500_000)}1]`)).rejects.toThrow(
    'contains more than 4 MiB besides its long texts',
  );
  expect((await read(`["${'x'.repeat(5_000_000)}"]`)).value).toEqual([expect.any(String)]);
});

test('bytes that are no Unicode are written as what stands for them', async () => {
  const bytes = Buffer.concat([Buffer.from(`["${'y'.repeat(1_000)}`), Buffer.from([0xff, 0xc0]), Buffer.from('"]')]);
  expect(await rewritten(bytes)).toBe(`["${'y'.repeat(1_000)}\uFFFD\uFFFD"]`);
});

test('an address of data is told by its stand-in, and how long it is', async () => {
  const address = `data:image/png;base64,${'A'.repeat(1_000)}`;
  const json = await read(JSON.stringify([address, address.replace('image', 'text'), `x${address}`, 'data:image/']));
  const [image = '', text = '', other = '', short = ''] = Array.isArray(json.value) ? json.value.map(String) : [];
  expect([image, text].map((one) => one.startsWith('data:image/'))).toEqual([true, false]);
  expect([text, other].map((one) => one.startsWith('data:'))).toEqual([true, false]);
  expect([image, other, short].map((one) => json.isStandIn(one))).toEqual([true, true, false]);
  expect(json.lengthOf(image)).toBeGreaterThanOrEqual(address.length);
  expect(json.lengthOf(image)).toBeLessThan(address.length + 50);
  expect(json.lengthOf(JSON.stringify(json.value))).toBeGreaterThan(3 * 1_000);
});

test('long texts are filled in, up to a size', async () => {
  const long = `"\\é😀\n${'ab'.repeat(60_000)}`;
  const value = { a: [long, 'short', 1, null], b: { c: long } };
  const json = await read(JSON.stringify(value));
  expect(await json.filled(1_000_000)).toEqual(value);
  const cut = long.slice(0, 65_000);
  expect(await json.filled(65_536)).toMatchObject({
    a: [expect.stringContaining(cut.slice(0, 64_000)), 'short', 1, null],
  });
  expect(JSON.stringify(await json.filled(65_536)).length).toBeLessThan(2 * 66_000);
});
