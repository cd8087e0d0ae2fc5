import { explain } from '../../../http/schema.ts';
import { eventName, type EventKind } from './event-schemas.ts';

const piece = {
  'data.message_id': 'Pieces with the same id form one text.',
  'data.done': 'True for the last piece.',
};

/** For each kind of event, when it occurs and the fields of its `data`. */
const meanings: { [Kind in EventKind]: { kind: string } & Record<string, string> } = {
  status: {
    kind: 'The state changed, or what the session is doing. A stream begins with one that is not in the log.',
    'data.status': "The session's state, as in its record.",
    'data.status_detail': 'What it is doing, what it waits for, or why it ended; "" for nothing.',
    'data.sandbox_state': "State of the agent's sandbox.",
  },
  provisioning: {
    kind: 'A step of provisioning a sandbox started or ended.',
    'data.step':
      '`registries`: finds the package registries of the machine; `mirror`: updates its copy of a repository; `setup`: runs the setup command; `checkpoint`: restores earlier work of the session; `sandbox`: starts its sandbox; `checkout`: checks out the files.',
    'data.status': 'The state of the step.',
  },
  message: {
    kind: 'A message: a piece of its text, or a change of its state.',
    ...piece,
    'data.created_by.type': 'A user, a service user, an app, a session, or the platform itself (`system`).',
    'data.created_by.name': 'The name for readers, at that time.',
    'data.attachment_ids': 'The attachments of a user message; where `created_by` is.',
  },
  thought: { kind: "A piece of the agent's reasoning.", ...piece },
  tool_call: {
    kind: 'The agent calls a tool. The result follows as `tool_result` with the same `call_id`.',
    'data.name': 'The tool.',
    'data.title': 'A readable summary of the call.',
    'data.input': "The tool's input; long texts are truncated, and secrets masked.",
  },
  tool_result: {
    kind: 'A tool returned or failed.',
    'data.ok': 'True if the tool succeeded.',
    'data.output': "The tool's output; a long one is truncated.",
  },
  plan: {
    kind: "The agent's full plan, after each change.",
    'data.entries': 'The steps, in order.',
    'data.entries.content': 'The step.',
    'data.entries.status': 'The state of the step.',
  },
  approval: {
    kind: 'An approval was requested or decided.',
    'data.approval_id': "The approval's id; `/approvals` has the full record.",
    'data.kind': 'What needs approval: a plan, or a tool call.',
    'data.state': '`pending` needs a decision; `expired` counts as a denial: nobody decided in time.',
    'data.summary': 'The request or the note of the decision; long texts are truncated.',
  },
  command: {
    kind: 'A command started, or ended.',
    'data.command': 'The shell command, with secrets masked.',
    'data.created_by.type': 'A user, a service user, or an app.',
    'data.created_by.name': 'The name for readers, at that time.',
  },
  output: {
    kind: 'Output of a command. The log holds a limited amount; the artifact in its last event has all of it.',
    'data.stream': 'The output stream.',
    'data.text': 'The output, with secrets masked; continues the previous event without a break.',
  },
  file_change: { kind: 'A file changed since the previous checkpoint; sent with the checkpoint.' },
  phase: {
    kind: 'A phase started, or ended.',
    'data.name': 'The phase.',
    'data.status':
      '`running` when it begins. `could_not_run`: the check did not run, so it says nothing. `not_reproduced`: it passes on the base commit. `stopped`: a user or a budget ended the turn.',
    'data.summary': 'The result, in a sentence; "" while it runs.',
    'data.evidence': 'The commands and files that support the result.',
  },
  usage: { kind: 'The usage of one model call.' },
  budget: {
    kind: 'A limit was reached, so the session is suspended.',
    'data.limit':
      "The limit: a key of the session's `budget`, `group_` and the group's daily limit, `organization_day_usd`, `organization_cycle_usd`, or `repository_day_usd` (its guardrail).",
    'data.used': "The use, in the limit's unit.",
    'data.allowed': "The limit's value.",
    'data.group_id': 'The group whose limit it is; absent for other limits.',
  },
  warning: { kind: 'A problem that does not stop the session.' },
  checkpoint: { kind: 'The work so far was stored: the session can resume from here on another machine.' },
  branch_pushed: { kind: 'A branch was pushed.' },
  change_request: {
    kind: 'A change request was opened, updated, merged or closed.',
    'data.state': 'Its current state.',
    'data.checks': 'The checks of its head; absent while it is not followed.',
    'data.review_state': 'What its reviews say together; absent while it is not followed.',
    'data.mergeable': 'True if it merges without conflicts; absent while it is not followed.',
    'data.follow': 'How it is followed; absent while it is not followed.',
  },
  artifact: {
    kind: 'A file was stored; `/artifacts` has it.',
    'data.artifact_id': 'The artifact.',
    'data.name': 'The file name.',
  },
  child: {
    kind: 'The session started a child session, which has its own log.',
    'data.session_id': 'The child session.',
    'data.status': 'Its state at that time.',
  },
  structured_output: {
    kind: 'The agent submitted its output, which replaces an earlier one.',
    'data.value': 'The value, valid for `structured_output_schema`.',
  },
  error: { kind: 'The session failed; its status follows.' },
};

export function explainEvents(): void {
  for (const [kind, ofFields] of Object.entries(meanings)) explain(eventName(kind), ofFields);
}
