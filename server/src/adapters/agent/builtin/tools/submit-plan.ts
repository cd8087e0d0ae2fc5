import { Type } from 'typebox';
import { defineTool, failed } from './tool.ts';

/** Hands in the plan. The turn ends with it, so the loop carries it out; only what cannot be handed in gets here. */
export const submitPlanTool = defineTool({
  name: 'submit_plan',
  kind: 'submit',
  description: `Hands in your plan for approval. Your turn ends with it. You are told the decision: approved, you carry the plan out, with all tools; else you are told what to plan instead.

- Once, when the plan is complete. A second plan can be handed in only after a decision about the first.
- The plan is all that is read before the decision, so it has to stand alone.`,
  input: Type.Object({
    plan: Type.String({
      minLength: 1,
      maxLength: 50_000,
      description:
        'Markdown: the steps in order, with the files and functions that each one touches; the decisions, with the alternatives you dropped; how the result is checked; open questions.',
    }),
  }),
  title: () => 'Hand in the plan',
  run: async () => failed('Only one plan can be handed in, and it must not be blank.'),
});
