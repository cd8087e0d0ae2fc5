import { type Static, Type } from 'typebox';
import { defineTool } from './tool.ts';

const Entries = Type.Array(
  Type.Object({
    content: Type.String({ minLength: 1, maxLength: 1_000, description: 'One step, in a few words.' }),
    status: Type.Unsafe<'pending' | 'in_progress' | 'completed'>({
      type: 'string',
      enum: ['pending', 'in_progress', 'completed'],
    }),
  }),
  { minItems: 1, maxItems: 50 },
);

/** Shows the person the plan. */
export const planTool = defineTool({
  name: 'plan',
  kind: 'tell',
  description: `Shows your person a plan of the work as a list of steps, and how far you are. Each call replaces the whole list.

- For work of three steps or more; a small change needs none.
- One step is in_progress at a time; mark it completed as soon as it is, and not before.`,
  input: Type.Object({ entries: Entries }),
  title: ({ entries }) => `Plan: ${doneOf(entries)} of ${entries.length} done`,
  async run({ entries }) {
    const plan = entries.map(({ content, status }) => ({ content, status }));
    return { ok: true, output: 'The plan is shown.', events: [{ kind: 'plan', entries: plan }] };
  },
});

function doneOf(entries: Static<typeof Entries>): number {
  return entries.filter(({ status }) => status === 'completed').length;
}
