import { expect, test } from 'vitest';
import { createClosing } from './closing.ts';

test('closes everything once, the newest first, and names what failed', async () => {
  const closing = createClosing();
  const closed: string[] = [];
  const add = (name: string, error?: Error): void =>
    closing.add(name, async () => {
      closed.push(name);
      if (error !== undefined) throw error;
    });
  add('its files', new Error('the directory is not empty'));
  add('its database');
  add('its sessions', new Error('a run did not end'));
  await expect(closing.close()).rejects.toThrow(
    'Not everything was closed: its sessions: a run did not end; its files: the directory is not empty',
  );
  expect(closed).toEqual(['its sessions', 'its database', 'its files']);
  await closing.close();
  expect(closed).toHaveLength(3);
});
