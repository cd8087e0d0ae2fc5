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

/** Shows the plan to the user. */
export const planTool = defineTool({
  name: 'plan',
  kind: 'tell',
  description: `Shows the user your plan as a list of steps with their status. Each call replaces the whole list.

- Use it for work of three or more steps; a small change needs no plan.
- Keep one step in_progress at a time, and mark it completed as soon as it is done, not before.`,
  input: Type.Object({ entries: Entries }),
  title: ({ entries }) => `Plan: ${countDone(entries)} of ${entries.length} done`,
  async run({ entries }) {
    const plan = entries.map(({ content, status }) => ({ content, status }));
    return { ok: true, output: 'The plan is shown.', events: [{ kind: 'plan', entries: plan }] };
  },
});

function countDone(entries: Static<typeof Entries>): number {
  return entries.filter(({ status }) => status === 'completed').length;
}
