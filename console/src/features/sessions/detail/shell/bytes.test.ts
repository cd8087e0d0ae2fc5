import { expect, test } from 'vitest';
import { bytesOf, pasted, type Key } from './bytes.ts';

const pressed = (key: string, held: Partial<Key> = {}): Key => ({
  key,
  ctrlKey: false,
  altKey: false,
  shiftKey: false,
  metaKey: false,
  ...held,
});
const ctrl = { ctrlKey: true };

test.each([
  [pressed('Enter'), '\r'],
  [pressed('Backspace'), '\u007f'],
  [pressed('Tab'), '\t'],
  [pressed('Tab', { shiftKey: true }), '\u001b[Z'],
  [pressed('ArrowUp'), '\u001b[A'],
  [pressed('ArrowLeft', ctrl), '\u001b[1;5D'],
  [pressed('PageDown'), '\u001b[6~'],
  [pressed('F1'), '\u001bOP'],
  [pressed('F12', { shiftKey: true }), '\u001b[24;2~'],
  [pressed('c', ctrl), '\u0003'],
  [pressed('[', ctrl), '\u001b'],
  [pressed(' ', ctrl), '\u0000'],
  [pressed('b', { altKey: true }), '\u001bb'],
  [pressed('a'), undefined],
  [pressed('ä'), undefined],
  [pressed('@', { ctrlKey: true, altKey: true }), undefined],
  [pressed('k', { metaKey: true }), undefined],
  [pressed('Shift', { shiftKey: true }), undefined],
  [pressed('Control', ctrl), undefined],
  [pressed('1', ctrl), undefined],
])('%o types %j', (key, bytes) => {
  expect(bytesOf(key, false)).toBe(bytes);
});

test('a program can ask for the other form of the arrows', () => {
  expect(bytesOf(pressed('ArrowUp'), true)).toBe('\u001bOA');
  expect(bytesOf(pressed('ArrowUp', ctrl), true)).toBe('\u001b[1;5A');
});

test('a pasted text cannot end its own mark', () => {
  expect(pasted('a\nb\r\nc', false)).toBe('a\rb\rc');
  expect(pasted('a\u001b[201~\nrm -rf .', true)).toBe('\u001b[200~a[201~\rrm -rf .\u001b[201~');
});
