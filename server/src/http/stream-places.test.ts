import { expect, test } from 'vitest';
import { createStreamPlaces } from './stream-places.ts';

test('an organization takes two thirds of the places, and others have the rest', () => {
  const places = createStreamPlaces(9);
  const first = Array.from({ length: 6 }, () => places.take('org_1'));
  expect(() => places.take('org_1')).toThrow('too many open event streams');
  const others = ['org_2', 'org_3', 'org_3'].map((id) => places.take(id));
  expect(() => places.take('org_4')).toThrow('too many open event streams');
  first[0]?.();
  first[0]?.();
  const again = places.take('org_4');
  expect(() => places.take('org_1')).toThrow('too many open event streams');
  for (const leave of [...first, ...others, again]) leave();
  for (let count = 0; count < 6; count += 1) places.take('org_1');
});
