import xterm from '@xterm/headless';
import { expect, test } from 'vitest';
import { spansOfRow } from './cells.ts';

const esc = '\u001b[';

/** Returns the spans of the first row of a terminal that got a text. */
async function spansOf(text: string) {
  const terminal = new xterm.Terminal({ cols: 40, rows: 4, allowProposedApi: true });
  await new Promise<void>((done) => terminal.write(text, done));
  const { active } = terminal.buffer;
  const row = active.getLine(0);
  return row === undefined ? [] : spansOfRow(row, active.getNullCell());
}

test('cells that look the same are one span, and blank ones at the end none', async () => {
  expect(await spansOf('plain text   ')).toEqual([{ text: 'plain text', className: '' }]);
  expect(await spansOf('')).toEqual([]);
  expect(await spansOf(`${esc}1;31mbad${esc}0m and ${esc}42;30m PASS ${esc}0m`)).toEqual([
    { text: 'bad', className: 'text-bad font-medium' },
    { text: ' and ', className: '' },
    { text: ' PASS ', className: 'text-ink bg-ok-soft' },
  ]);
});

test('reversed text has its color as ground', async () => {
  expect(await spansOf(`${esc}7;31m FAIL ${esc}0m`)).toEqual([{ text: ' FAIL ', className: 'text-ink bg-bad-soft' }]);
  expect(await spansOf(`${esc}7mplain`)).toEqual([{ text: 'plain', className: 'text-ink bg-line' }]);
});

test('other colors keep their hue', async () => {
  const [palette] = await spansOf(`${esc}38;5;208mx`);
  expect(palette?.style).toEqual({ color: expect.stringMatching(/rgb\(255,135,0\).*clamp/) });
  const [exact] = await spansOf(`${esc}48;2;10;20;30mx`);
  expect(exact?.style).toEqual({ backgroundColor: expect.stringContaining('rgb(10,20,30)') });
});

test('what a font may draw in another width has the width of its cells', async () => {
  expect(await spansOf('a漢─b')).toEqual([
    { text: 'a', className: '' },
    { text: '漢', className: '', cells: 2 },
    { text: '─', className: '', cells: 1 },
    { text: 'b', className: '' },
  ]);
});

test('invisible text takes its place and is not told', async () => {
  expect(await spansOf(`a${esc}8msecret${esc}0mb`)).toEqual([
    { text: 'a', className: '' },
    { text: '      ', className: '' },
    { text: 'b', className: '' },
  ]);
});
