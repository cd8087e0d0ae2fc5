import { ApiError } from '@guildhall/client';
import { afterAll, expect, test, vi } from 'vitest';

vi.stubGlobal('location', new URL('http://localhost/console/'));
afterAll(() => vi.unstubAllGlobals());
const { queryClient, replaceData } = await import('./query.ts');

const refusal = (status: number) => new ApiError(new Response('{}', { status }), { error: 'x', message: 'x' });

/** Reads something twice, the second time with a failure; returns the state of the query then. */
async function afterFailure(name: string, error: unknown, { isKnown }: { isKnown: boolean }) {
  const queryKey = [name];
  if (isKnown) await queryClient.fetchQuery({ queryKey, queryFn: () => 'known' });
  const failing = queryClient.fetchQuery({ queryKey, queryFn: () => Promise.reject(error), staleTime: 0 });
  await expect(failing).rejects.toBe(error);
  return queryClient.getQueryState(queryKey);
}

test.each([
  ['a server that is not reached', new TypeError('Failed to fetch')],
  ['a server that cannot answer', refusal(503)],
])('what is known stays after the failure of %s', async (name, error) => {
  expect(await afterFailure(name, error, { isKnown: true })).toMatchObject({
    status: 'success',
    data: 'known',
    error: null,
  });
  expect(await afterFailure(`${name}, first`, error, { isKnown: false })).toMatchObject({ status: 'error', error });
});

test('a refusal is shown in place of what is known', async () => {
  const error = refusal(404);
  expect(await afterFailure('gone', error, { isKnown: true })).toMatchObject({ status: 'error', error });
});

test('a read that began before a change does not bring back what was there', async () => {
  const queryKey = ['settings'];
  const read = Promise.withResolvers<string>();
  const reading = queryClient.fetchQuery({ queryKey, queryFn: () => read.promise });
  const ended = expect(reading).rejects.toThrow();
  await replaceData(queryClient, queryKey, 'after');
  read.resolve('before');
  await ended;
  expect(queryClient.getQueryData(queryKey)).toBe('after');
});
