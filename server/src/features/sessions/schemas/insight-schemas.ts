import { Type, type Static } from 'typebox';
import { explain, named, NullableInteger, OneOf } from '../../../http/schema.ts';
import { phaseNames } from './session-schemas.ts';

const seconds = Type.Number({ minimum: 0 });
const count = Type.Integer({ minimum: 0 });

export const Insights = named(
  'SessionInsights',
  Type.Object({
    time: Type.Object({
      queued_seconds: seconds,
      provisioning_seconds: seconds,
      working_seconds: seconds,
      waiting_seconds: seconds,
      suspended_seconds: seconds,
    }),
    turns: count,
    rounds: count,
    attempts: count,
    messages: Type.Object({ user: count, agent: count, platform: count }),
    phases: Type.Array(Type.Object({ name: OneOf(phaseNames), runs: count, failed: count, seconds })),
    tools: Type.Array(Type.Object({ name: Type.String(), calls: count, failed: count })),
    commands: Type.Object({
      runs: count,
      failed: count,
      seconds,
      slowest: Type.Array(
        Type.Object({ command: Type.String(), seconds, exit_code: NullableInteger, seq: Type.Integer() }),
      ),
      repeated_failures: Type.Array(Type.Object({ command: Type.String(), failures: count, last_seq: Type.Integer() })),
    }),
    files: Type.Array(Type.Object({ path: Type.String(), changes: count })),
    warnings: Type.Array(Type.Object({ code: Type.String(), count, message: Type.String(), last_seq: Type.Integer() })),
    observations: Type.Array(Type.Object({ code: Type.String(), message: Type.String(), seq: NullableInteger })),
    complete: Type.Boolean(),
  }),
);
export type Insights = Static<typeof Insights>;

explain('SessionInsights', {
  time: 'Its time by status, in seconds, up to now.',
  'time.queued_seconds': 'Time in `queued`.',
  'time.provisioning_seconds': 'Time in `provisioning`.',
  'time.working_seconds': 'Time in `running`.',
  'time.waiting_seconds': 'Time in `waiting`.',
  'time.suspended_seconds': 'Time in `suspended`.',
  turns: 'Turns so far.',
  rounds: 'Prompts to the agent so far, by users and by the platform.',
  attempts: 'Attempts so far: one for each worker that claimed it.',
  messages: 'Messages by sender.',
  'messages.user': 'Messages of users, and of others who were heard.',
  'messages.agent': 'Messages of the agent.',
  'messages.platform': 'Messages of Guildhall itself, such as after a failed check.',
  phases: 'The phases that began, in their order.',
  'phases.runs': 'Number of times that it began.',
  'phases.failed': 'Number of times that it failed.',
  'phases.seconds': 'Time in all runs.',
  tools: 'Tools by number of calls.',
  'tools.calls': 'Number of calls.',
  'tools.failed': 'Calls that failed.',
  commands: 'Commands of the agent and of the checks.',
  'commands.runs': 'Number of commands that ended.',
  'commands.seconds': 'Time of all of them.',
  'commands.failed': 'Those with an exit code other than 0.',
  'commands.slowest': 'The five that took longest.',
  'commands.slowest.command': 'The command, up to 500 characters.',
  'commands.slowest.seconds': 'Its longest run.',
  'commands.slowest.seq': 'Number of the event of its end.',
  'commands.repeated_failures': 'Commands that failed more than once, the most frequent first.',
  'commands.repeated_failures.command': 'The command, up to 500 characters.',
  'commands.repeated_failures.failures': 'Number of failures.',
  'commands.repeated_failures.last_seq': 'Number of the last event of a failure.',
  files: 'The 20 files that changed in most checkpoints.',
  'files.path': 'Relative to the workspace.',
  'files.changes': 'Number of checkpoints in which it changed.',
  warnings: 'Warnings by code.',
  'warnings.count': 'Number of warnings.',
  'warnings.message': 'Message of the last one.',
  'warnings.last_seq': 'Number of the last event.',
  observations: 'What is worth knowing, in words: what took the time, what failed repeatedly, what was lost.',
  'observations.code': 'What kind of observation it is.',
  'observations.seq': 'An event that shows it; null for none.',
  complete: 'False if the log had more events than were read, or older ones are no longer kept.',
});
