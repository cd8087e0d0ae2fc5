import { Type } from 'typebox';
import { defineTool, failed } from './tool.ts';

/** Submits the plan. The plan ends the turn, so the loop handles it; `run` gets only calls that it could not handle. */
export const submitPlanTool = defineTool({
  name: 'submit_plan',
  kind: 'submit',
  description: `Submits your plan for approval and ends your turn. If it is approved, you carry it out with all tools; otherwise you are told what to plan instead.

- Call it once, when the plan is complete. You can submit another plan only after the decision on the first.
- The decision is based on the plan alone, so it must be self-contained.`,
  input: Type.Object({
    plan: Type.String({
      minLength: 1,
      maxLength: 50_000,
      description:
        'Markdown: the steps in order, with the files and functions of each; the decisions, with the rejected alternatives; how the result is checked; open questions.',
    }),
  }),
  title: () => 'Submit the plan',
  run: async () => failed('Submit only one plan, and not an empty one.'),
});
