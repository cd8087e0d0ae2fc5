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
    kind: OneOf(approvalKinds, { description: 'What is to be approved: a plan, or the call of a tool.' }),
    session_id: Id,
    state: OneOf(approvalStates, { description: '`expired` is a denial, by nobody who decided in time.' }),
    request: Type.Object({
      tool: Type.String({ description: 'With `kind` `tool`: which one is to be called; else "".' }),
      input: { ...AnyObject, description: 'With `kind` `tool`: what it is to be called with.' },
      plan: Type.String({ description: 'With `kind` `plan`: the plan, as Markdown; else "".' }),
    }),
    edited_plan: Type.String({ description: 'What was approved in place of the plan; "" is the plan as it was.' }),
    requested_at: { ...Timestamp, description: 'When it was asked for.' },
    expires_at: { ...Timestamp, description: 'No decision until then is a denial.' },
    decided_by: Type.Union([Principal, Type.Null()], {
      description: 'null while nobody decided, and where its time was over.',
    }),
    decided_at: { ...NullableTimestamp, description: 'null while it is pending.' },
    note: Type.String({ description: 'What came with the decision, or why nobody had to decide any more.' }),
  }),
);

export const DecideApproval = Body({
  decision: OneOf(['approve', 'deny'], { description: 'It stands: a second one is 409 `already_decided`.' }),
  note: Type.Optional(
    Text(10_000, {
      description:
        'For the agent. With a denial it says what to plan instead; a denial without one waits for a message.',
    }),
  ),
  edited_plan: Type.Optional(
    Text(100_000, {
      minLength: 1,
      description: 'What is to be carried out in place of the plan; only with `approve`.',
    }),
  ),
});
export type DecideApproval = Static<typeof DecideApproval>;
