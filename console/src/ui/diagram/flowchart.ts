/** A diagram of boxes and arrows. */
export interface Flowchart {
  nodes: { id: string; label: string }[];
  edges: { from: string; to: string }[];
}

const mostNodes = 100;
const mostEdges = 400;

/** Reads a flowchart of Mermaid that has boxes and plain arrows only; undefined for any other text. */
export function parseFlowchart(text: string): Flowchart | undefined {
  const [head = '', ...lines] = text.trim().split('\n');
  if (!/^(flowchart|graph)\s+(TD|TB|LR)\s*;?$/.test(head.trim())) return undefined;
  const labels = new Map<string, string>();
  const edges: Flowchart['edges'] = [];
  for (const line of lines) {
    const node = /^\s*(\w+)\["([^"]*)"\]\s*$/.exec(line);
    const edge = /^\s*(\w+)\s*-->\s*(\w+)\s*$/.exec(line);
    if (node !== null) labels.set(node[1] ?? '', node[2] ?? '');
    else if (edge !== null) edges.push({ from: edge[1] ?? '', to: edge[2] ?? '' });
    else if (line.trim() !== '') return undefined;
  }
  for (const id of edges.flatMap(({ from, to }) => [from, to])) if (!labels.has(id)) labels.set(id, id);
  if (labels.size === 0 || labels.size > mostNodes || edges.length > mostEdges) return undefined;
  return { nodes: [...labels].map(([id, label]) => ({ id, label })), edges };
}
