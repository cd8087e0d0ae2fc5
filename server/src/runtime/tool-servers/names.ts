import { createHash } from 'node:crypto';

const maxLength = 64;

/**
 * What a model calls the tools of a server, in their order: `<slug>__<tool>`, made fit for `[a-zA-Z0-9_-]{1,64}`. Where
 * that would say the same of two, or cut one, a few digits of its own tell it apart.
 */
export function toolNames(slug: string, tools: readonly string[]): string[] {
  const plain = tools.map((tool) => `${slug}__${tool.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}`);
  const counts = new Map<string, number>();
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  return plain.map((name, at) => {
    if (name.length <= maxLength && counts.get(name) === 1) return name;
    const digits = createHash('sha256')
      .update(tools[at] ?? '')
      .digest('hex')
      .slice(0, 8);
    return `${name.slice(0, maxLength - digits.length - 1)}_${digits}`;
  });
}
