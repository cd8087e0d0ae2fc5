import { expect, test } from 'vitest';
import { parseFlowchart } from './flowchart.ts';
import { layersOf } from './layers.ts';

test('boxes and arrows are read, and anything else is left as text', () => {
  const chart = parseFlowchart('flowchart TD\n  a["src/a b"]\n  a --> b\n\n');
  expect(chart).toEqual({
    nodes: [
      { id: 'a', label: 'src/a b' },
      { id: 'b', label: 'b' },
    ],
    edges: [{ from: 'a', to: 'b' }],
  });
  expect(parseFlowchart('sequenceDiagram\n a->>b: x')).toBeUndefined();
  expect(parseFlowchart('flowchart TD\n a -.-> b')).toBeUndefined();
  expect(parseFlowchart('flowchart TD')).toBeUndefined();
  const many = Array.from({ length: 101 }, (_, at) => `n${at}["x"]`).join('\n');
  expect(parseFlowchart(`flowchart TD\n${many}`)).toBeUndefined();
});

test('arrows lead downwards, and circles end', () => {
  const chart = parseFlowchart('flowchart TD\na --> b\nb --> c\na --> c\nc --> a\nd --> d\na --> e');
  expect(chart && layersOf(chart)).toEqual([['a', 'd'], ['b', 'e'], ['c']]);
});

test('a long chain of boxes is laid out at once', () => {
  const edges = Array.from({ length: 99 }, (_, at) => `n${at} --> n${at + 1}`);
  const chart = parseFlowchart(`graph LR\n${edges.toReversed().join('\n')}`);
  expect(chart && layersOf(chart)).toHaveLength(100);
});
