import type { Flowchart } from './flowchart.ts';

/** Returns the ids of the boxes in rows: an arrow leads downwards, unless it closes a circle. */
export function layersOf({ nodes, edges }: Flowchart): string[][] {
  const forward = withoutCircles(nodes, edges);
  const depth = new Map(nodes.map(({ id }) => [id, 0]));
  // The longest way to a box: each pass moves at least one box, and no way is longer than there are boxes.
  for (let pass = 0; pass < nodes.length; pass += 1) {
    const late = forward.filter(({ from, to }) => (depth.get(to) ?? 0) <= (depth.get(from) ?? 0));
    if (late.length === 0) break;
    for (const { from, to } of late) depth.set(to, Math.max(depth.get(to) ?? 0, (depth.get(from) ?? 0) + 1));
  }
  const rows: string[][] = [];
  for (const { id } of nodes) (rows[depth.get(id) ?? 0] ??= []).push(id);
  return untangled(
    rows.filter((row) => row.length > 0),
    forward,
  );
}

type Edges = Flowchart['edges'];

/** Leaves out the arrows that lead back to a box on the way to them. */
function withoutCircles(nodes: Flowchart['nodes'], edges: Edges): Edges {
  const state = new Map<string, 'open' | 'done'>();
  const forward: Edges = [];
  const visit = (id: string): void => {
    state.set(id, 'open');
    for (const edge of edges) {
      if (edge.from !== id || state.get(edge.to) === 'open') continue;
      forward.push(edge);
      if (!state.has(edge.to)) visit(edge.to);
    }
    state.set(id, 'done');
  };
  for (const { id } of nodes) if (!state.has(id)) visit(id);
  return forward;
}

/** Puts boxes near those that lead to them, so that fewer arrows cross. */
function untangled(rows: string[][], edges: Edges): string[][] {
  const place = new Map<string, number>();
  return rows.map((row) => {
    const wish = (id: string, at: number): number => {
      const above = edges.flatMap(({ from, to }) => (to === id ? (place.get(from) ?? []) : []));
      return above.length === 0 ? at / row.length : above.reduce((sum, each) => sum + each, 0) / above.length;
    };
    const sorted = row
      .map((id, at) => ({ id, wish: wish(id, at) }))
      .toSorted((a, b) => a.wish - b.wish)
      .map(({ id }) => id);
    for (const [at, id] of sorted.entries()) place.set(id, (at + 0.5) / sorted.length);
    return sorted;
  });
}
