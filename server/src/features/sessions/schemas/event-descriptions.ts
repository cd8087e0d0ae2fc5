import { explain } from '../../../http/schema.ts';
import { eventName, type EventKind } from './event-schemas.ts';

const piece = {
  'data.message_id': 'Pieces with the same one are one text.',
  'data.done': 'Whether this is the last piece.',
};

/** When an event of a kind comes, and what its `data` says. */
const meanings: { [Kind in EventKind]: { kind: string } & Record<string, string> } = {
  status: {
    kind: 'The state changed, or what the session is doing. A stream begins with one that is not in the log.',
    'data.status': 'The state of the session, as in its record.',
    'data.status_detail': 'What it is doing, waits for, or why it ended; "" where there is nothing to add.',
    'data.sandbox_state': 'Of the sandbox that the agent works in.',
  },
  provisioning: {
    kind: 'A step on the way to a sandbox begins, or has ended.',
    'data.step':
      '`registries`: which package registries this machine uses; `mirror`: the copy of a repository on it; `setup`: the setup command; `checkpoint`: what the session did before; `sandbox`: a sandbox of its own; `checkout`: the files in it.',
    'data.status': 'Whether the step is under way, done, or failed.',
  },
  message: { kind: 'Somebody speaks: a piece of a text, or what became of a message.', ...piece },
  thought: { kind: 'The agent thinks aloud: a piece of that.', ...piece },
  tool_call: {
    kind: 'The agent calls a tool. What comes of it follows as `tool_result` with the same `call_id`.',
    'data.name': 'The tool.',
    'data.title': 'What the call is about, for people.',
    'data.input': 'What it is called with; long texts in it are cut, and secrets masked.',
  },
  tool_result: {
    kind: 'A tool answered, or failed.',
    'data.ok': 'Whether the tool did what it was asked to.',
    'data.output': 'What it answered; of a long one the beginning.',
  },
  plan: {
    kind: "The agent's list of what it means to do, whole, each time that it changes.",
    'data.entries': 'The steps, in their order.',
    'data.entries.content': 'What is to be done.',
    'data.entries.status': 'How far it is.',
  },
  approval: {
    kind: 'The session asks for an approval, or one was decided.',
    'data.approval_id': 'The approval; `/approvals` has it whole.',
    'data.kind': 'What is to be approved: a plan, or the call of a tool.',
    'data.state': '`pending` asks for a decision; `expired` is a denial, by nobody who decided in time.',
    'data.summary': 'What is asked for, or what came with the decision; of a long text the beginning.',
  },
  command: {
    kind: 'A command begins, and once more when it has ended.',
    'data.command': 'As the shell was given it, with secrets masked.',
  },
  output: {
    kind: 'A command printed something. The log holds only so much of each; the artifact that its end names has all of it.',
    'data.stream': 'Where it was written to.',
    'data.text': 'What was written, with secrets masked; it follows what came before without a break.',
  },
  file_change: { kind: 'A file is another one than at the checkpoint before; it is told with the checkpoint.' },
  phase: {
    kind: 'A phase begins, and once more when it has ended.',
    'data.name': 'Which phase.',
    'data.status':
      '`running` when it begins. `could_not_run`: the check did not run, so it says nothing. `not_reproduced`: it passes on the base commit. `stopped`: a person or a budget ended the turn.',
    'data.summary': 'What came of it, in a sentence; "" while it runs.',
    'data.evidence': 'The commands that were run and the files that were used for it.',
  },
  usage: { kind: 'A model was called, and this is what the call used.' },
  budget: {
    kind: "A limit is reached, so the turn ends: the session's own, or that of a group of its person.",
    'data.limit': "Which one: a key of the session's `budget`, or `group_` and the limit of the group's day.",
    'data.used': 'What is used up, in the unit of the limit.',
    'data.allowed': 'The limit itself.',
  },
  warning: { kind: 'Something is not as it should be, and the session goes on.' },
  checkpoint: { kind: 'The work so far is kept: the session can go on from here on another machine.' },
  branch_pushed: { kind: 'A branch was pushed.' },
  change_request: {
    kind: 'A change request was opened or brought up to date, merged or closed.',
    'data.state': 'How it stands now.',
  },
  artifact: {
    kind: 'A file was kept; `/artifacts` has it.',
    'data.artifact_id': 'The artifact.',
    'data.name': 'Its name as a file.',
  },
  child: {
    kind: 'The session started another one, whose own log tells of it.',
    'data.session_id': 'The session that was started.',
    'data.status': 'Its state at that moment.',
  },
  structured_output: {
    kind: 'The agent handed in its output, which takes the place of an earlier one.',
    'data.value': 'The value, as `structured_output_schema` asks for it.',
  },
  error: { kind: 'Why the session failed; its status follows.' },
};

export function explainEvents(): void {
  for (const [kind, ofFields] of Object.entries(meanings)) explain(eventName(kind), ofFields);
}
