import { expect, test } from 'vitest';
import { spansOf } from './ansi.ts';

const esc = '\u001b[';

test('colors, grounds and weights become classes', () => {
  expect(spansOf(`${esc}1;31mbad${esc}0m and ${esc}42;30m PASS ${esc}0m`)).toEqual([
    { text: 'bad', className: 'text-bad font-medium' },
    { text: ' and ', className: '' },
    { text: ' PASS ', className: 'text-ink bg-ok-soft' },
  ]);
});

test('reversed text has its color as ground', () => {
  expect(spansOf(`${esc}7;31m FAIL ${esc}0m`)).toEqual([{ text: ' FAIL ', className: 'text-ink bg-bad-soft' }]);
  expect(spansOf(`${esc}7mplain${esc}0m`)).toEqual([{ text: 'plain', className: 'text-ink bg-line' }]);
});

test('other colors keep their hue, and are as light or dark as they have to be', () => {
  expect(spansOf(`${esc}48;2;10;20;30mx`)).toEqual([
    {
      text: 'x',
      className: '',
      style: { backgroundColor: expect.stringContaining('rgb(10, 20, 30) var(--ansi-ground)') },
    },
  ]);
  expect(spansOf(`${esc}38;5;208mx`)[0]?.style).toEqual({ color: expect.stringMatching(/rgb\(255,135,0\).*clamp/) });
  expect(spansOf(`${esc}48;5;235mx`)[0]?.style).toEqual({ backgroundColor: expect.stringContaining('rgb(38,38,38)') });
});

test('what asks for nothing, or is too long, is only text', () => {
  expect(spansOf('plain')).toEqual([{ text: 'plain', className: '' }]);
  expect(spansOf(`${esc}31m${'x'.repeat(20_000)}`)).toHaveLength(1);
});
