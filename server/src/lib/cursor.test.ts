import { expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from './cursor.ts';

const cursor = encodeCursor('sessions', { status: 'queued' }, 'ses_1');

test('a cursor leads back to its position, whatever the order of the filters', () => {
  expect(decodeCursor('sessions', { status: 'queued', tag: undefined }, cursor)).toBe('ses_1');
});

test.each([
  ['another list', () => decodeCursor('agents', { status: 'queued' }, cursor)],
  ['other filters', () => decodeCursor('sessions', { status: 'failed' }, cursor)],
  ['no cursor at all', () => decodeCursor('sessions', { status: 'queued' }, 'x')],
  ['JSON of another shape', () => decodeCursor('sessions', {}, Buffer.from('{}').toString('base64url'))],
])('%s is refused with invalid_cursor', (_what, decode) => {
  expect(decode).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
});
