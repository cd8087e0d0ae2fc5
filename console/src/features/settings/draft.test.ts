import { describe, expect, test } from 'vitest';
import { fieldsOf } from '../../forms/schema/shape.ts';
import { changedFields, changeText, chosenOf, merged, valueOf, withValue } from './draft.ts';

const fields = fieldsOf({
  properties: {
    cpu: { type: 'number', default: 2, title: 'Processors', 'x-unit': 'cores' },
    hosts: { type: 'array', items: { type: 'string' }, default: [], title: 'Hosts' },
    slack: { type: 'object', properties: { secret: { type: 'string', default: '' } }, default: {} },
  },
});
const [cpu, hosts, slack] = fields;
if (cpu === undefined || hosts === undefined || slack === undefined) throw new Error('no fields');

test('a field has its chosen value, else its default, also inside of an object', () => {
  const chosen = chosenOf({ value: { cpu: 2, hosts: ['a'], slack: { secret: '' } }, set_keys: ['hosts'] });
  expect(chosen).toEqual({ hosts: ['a'] });
  expect(fields.map((field) => valueOf(field, chosen))).toEqual([2, ['a'], { secret: '' }]);
});

test('a change back to what was chosen is none, in any order of keys', () => {
  const before = { cpu: 4, slack: { secret: 'A', channel: '' } };
  expect(changedFields(fields, before, withValue(before, 'slack', { channel: '', secret: 'A' }))).toEqual([]);
  expect(changedFields(fields, before, withValue(before, 'cpu', undefined))).toEqual([cpu]);
  expect(changedFields(fields, {}, { cpu: 2 })).toEqual([cpu]);
});

describe('the words of a change', () => {
  test.each([
    [cpu, {}, { cpu: 4 }, '2 cores → 4 cores'],
    [cpu, { cpu: 4 }, {}, 'back to the default, 4 cores → 2 cores'],
    [cpu, { cpu: 2 }, {}, 'back to the default'],
    [cpu, {}, { cpu: 2 }, 'stays 2 cores if the default changes'],
    [hosts, { hosts: ['a', 'b'] }, { hosts: ['b', 'c'] }, '+ c − a'],
    [hosts, { hosts: ['a', 'b'] }, { hosts: ['b', 'a'] }, 'a, b → b, a'],
  ])('%#', (field, before, after, text) => expect(changeText(field, before, after)).toBe(text));

  test('are never longer than a line of them can be', () => {
    expect(changeText(hosts, {}, { hosts: ['x'.repeat(5_000)] }).length).toBeLessThan(250);
  });
});

test('own changes stand on top of those of somebody else, which stay where nothing was changed', () => {
  const before = { cpu: 4, hosts: ['a'] };
  const theirs = { cpu: 8, hosts: ['a', 'b'], slack: { secret: 'S' } };
  expect(merged(fields, before, theirs, { cpu: 6, hosts: ['a'] })).toEqual({ ...theirs, cpu: 6 });
  expect(merged(fields, before, theirs, { hosts: ['a'] })).toEqual({ hosts: ['a', 'b'], slack: { secret: 'S' } });
  expect(merged(fields, before, theirs, before)).toEqual(theirs);
});
