import type { Schemas } from '../../../lib/api.ts';

const longest = 300;

/** Returns in a line what a session asks to be allowed. */
export function askedOf({ kind, request: { tool, input, plan } }: Pick<Schemas['Approval'], 'kind' | 'request'>) {
  if (kind === 'tool') return clip(`${tool}: ${JSON.stringify(input)}`);
  const first = clip(plan)
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '');
  const steps = plan.split('\n').filter((line) => /^\s*(?:\d{1,3}[.)]|[-*+])\s/.test(line)).length;
  const text = (first ?? '').replace(/^(?:#+|\d{1,3}[.)]|[-*+])\s+/, '');
  return steps === 0 ? text : `Plan, ${steps} ${steps === 1 ? 'step' : 'steps'}: ${text}`;
}

function clip(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
