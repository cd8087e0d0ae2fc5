import type { Schemas } from '../../../lib/api.ts';
import { visible } from '../../../lib/visible.ts';

/** Characters of a line that says everything; of others, an … follows. */
const longest = 300;

/** Returns in a line what a session asks to be allowed; its beginning, if that is long. */
export function askedOf({ kind, request: { tool, input, plan } }: Pick<Schemas['Approval'], 'kind' | 'request'>) {
  if (kind === 'tool') return clip(`${tool}: ${writtenOf(input)}`);
  const first = clip(plan)
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '');
  const steps = plan.split('\n').filter((line) => /^\s*(?:\d{1,3}[.)]|[-*+])\s/.test(line)).length;
  const text = (first ?? '').replace(/^(?:#+|\d{1,3}[.)]|[-*+])\s+/, '');
  return steps === 0 ? text : `Plan, ${steps} ${steps === 1 ? 'step' : 'steps'}: ${text}`;
}

/** Returns true if the line says all of a call. */
export function isWhole(asked: string): boolean {
  return asked.length <= longest;
}

/** Returns all of a call's input as JSON, in which nothing is hidden. */
export function writtenOf(input: object, indent = 0): string {
  return visible(JSON.stringify(input, null, indent));
}

function clip(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
