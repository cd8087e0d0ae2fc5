import { createHash } from 'node:crypto';

const maxLength = 64;

/**
 * Returns the names of a server's tools for a model, in their order: `<slug>__<tool>`, limited to `[a-zA-Z0-9_-]{1,64}`. A
 * hash suffix makes duplicate and cut names unique.
 */
export function toolNames(slug: string, tools: readonly string[]): string[] {
  const plain = tools.map((tool) => `${slug}__${tool.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}`);
  const counts = new Map<string, number>();
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  const taken = new Set<string>();
  return plain.map((name, at) => {
    const tool = tools[at] ?? '';
    let fit = name.length <= maxLength && counts.get(name) === 1 ? name : withDigits(name, tool);
    // A server may call one tool what another one becomes.
    for (let turn = 1; taken.has(fit); turn += 1) fit = withDigits(name, `${turn} ${tool}`);
    taken.add(fit);
    return fit;
  });
}

function withDigits(name: string, of: string): string {
  const digits = createHash('sha256').update(of).digest('hex').slice(0, 8);
  return `${name.slice(0, maxLength - digits.length - 1)}_${digits}`;
}
