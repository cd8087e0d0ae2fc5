const rounds = 30;
const damping = 0.85;

/** Computes the PageRank of nodes: what much uses, and what that uses, ranks high. */
export function pageRank(
  nodes: readonly string[],
  edges: readonly { from: string; to: string; weight: number }[],
): Map<string, number> {
  const out = new Map<string, number>();
  for (const { from, weight } of edges) out.set(from, (out.get(from) ?? 0) + weight);
  const base = (1 - damping) / Math.max(1, nodes.length);
  let ranks = new Map(nodes.map((node) => [node, 1 / nodes.length]));
  for (let round = 0; round < rounds; round += 1) {
    const next = new Map(nodes.map((node) => [node, base]));
    for (const { from, to, weight } of edges)
      next.set(to, (next.get(to) ?? base) + (damping * (ranks.get(from) ?? 0) * weight) / (out.get(from) ?? 1));
    ranks = next;
  }
  return ranks;
}
