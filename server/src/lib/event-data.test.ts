import { array, assert, constantFrom, nat, property } from 'fast-check';
import { createParser } from 'eventsource-parser';
import { expect, test } from 'vitest';
import { EventData } from './event-data.ts';

const words = ['data', 'data:', 'data: ', 'event: x', ':', '{"é":1}', '\n', '\n\n', '\r\n', '\r', 'x', '\uFEFF', ' '];

test('the data of events are those that clients read, wherever the network cuts them', () => {
  assert(
    property(array(constantFrom(...words)), array(nat(60)), (parts, cuts) => {
      const bytes = Buffer.from(`${parts.join('')}\n\n`);
      const expected: string[] = [];
      // At the end of a chunk, the parser regards a line end as incomplete.
      const parser = createParser({ onEvent: ({ data }) => void expected.push(data) });
      parser.feed(`${bytes.toString().replace(/^\uFEFF/, '')}x`);
      const events = new EventData();
      const found: string[] = [];
      const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      for (const [at, from] of places.entries())
        for (const data of events.push(bytes.subarray(from, places[at + 1] ?? bytes.length)))
          found.push(data.toString());
      expect(found.filter((data) => data !== '')).toEqual(expected.filter((data) => data !== ''));
      expect(events.heldBytes).toBe(0);
    }),
    { numRuns: 2_000 },
  );
});
