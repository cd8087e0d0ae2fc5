import { Type, type Static } from 'typebox';
import {
  AnyObject,
  Body,
  Id,
  named,
  NullableTimestamp,
  OneOf,
  Principal,
  Text,
  Timestamp,
} from '../../../http/schema.ts';

export const approvalKinds = ['plan', 'tool'] as const;
export const approvalStates = ['pending', 'approved', 'denied', 'expired'] as const;

export type ApprovalState = (typeof approvalStates)[number];

export const Approval = named(
  'Approval',
  Type.Object({
    id: Id,
    kind: OneOf(approvalKinds, { description: 'What needs approval: a plan, or a tool call.' }),
    session_id: Id,
    state: OneOf(approvalStates, { description: '`expired` counts as a denial: nobody decided in time.' }),
    request: Type.Object({
      tool: Type.String({ description: 'With `kind` `tool`: the tool to call; else "".' }),
      input: { ...AnyObject, description: 'With `kind` `tool`: its input.' },
      plan: Type.String({ description: 'With `kind` `plan`: the plan, as Markdown; else "".' }),
    }),
    edited_plan: Type.String({ description: 'The plan approved instead; "" if it was not edited.' }),
    requested_at: { ...Timestamp, description: 'When it was requested.' },
    expires_at: { ...Timestamp, description: 'Denied if nobody decides until then.' },
    decided_by: Type.Union([Principal, Type.Null()], {
      description: 'null while it is pending, and if it expired.',
    }),
    decided_at: { ...NullableTimestamp, description: 'null while it is pending.' },
    note: Type.String({ description: "The decision's note, or why no decision is needed anymore." }),
    message_id: Type.String({
      description: 'The message that tells the agent the decision; "" for none. It cannot be withdrawn.',
    }),
  }),
);

export const DecideApproval = Body({
  decision: OneOf(['approve', 'deny'], { description: 'Final: a second decision is 409 `already_decided`.' }),
  note: Type.Optional(
    Text(10_000, {
      description:
        'For the agent; default none. With a denial, tells it what to plan instead; after a denial without one the session waits ' +
        'for a message.',
    }),
  ),
  edited_plan: Type.Optional(
    Text(100_000, {
      minLength: 1,
      description:
        'The plan to carry out instead; only with `approve`, and only of a plan. By default the plan as it stands.',
    }),
  ),
});
export type DecideApproval = Static<typeof DecideApproval>;
