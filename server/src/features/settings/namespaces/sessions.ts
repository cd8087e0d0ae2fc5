import { agentExists } from '../store.ts';
import { defineNamespace } from './define.ts';
import { Flag, titled, Value, Whole, Word } from './fields.ts';

const time = 'Time';
const concurrency = 'At once';
const minutes = { unit: 'minutes', group: time };

export const sessions = defineNamespace({
  title: 'Sessions',
  value: Value({
    default_agent: titled('Default agent', Word(64, "Id of the default agent. '' is the organization's `builtin`."), {
      picker: 'agent',
      group: 'Defaults',
    }),
    max_minutes: titled(
      'Longest session',
      Whole(0, 100_000, 0, "The maximum and the default of a session's `budget.max_minutes`; 0: no limit."),
      minutes,
    ),
    idle_suspend_minutes: titled(
      'Suspend when idle',
      Whole(0, 100_000, 60, 'A session that waits for a user this long is suspended; 0: it never is.'),
      minutes,
    ),
    approval_timeout_minutes: titled(
      'Wait for an approval',
      Whole(
        1,
        100_000,
        1_440,
        'A session waits this long for an approval; without a decision the request is then denied.',
      ),
      minutes,
    ),
    max_concurrent: titled(
      'Sessions at once',
      Whole(0, 100_000, 0, 'The maximum number of sessions that run at once; 0: no limit.'),
      { unit: 'sessions', group: concurrency },
    ),
    max_concurrent_regular: titled(
      'Sessions at once for a regular member',
      Whole(
        0,
        100_000,
        0,
        'The same for each member with the role `regular`, if it is the lower of the two; 0: no limit.',
      ),
      { unit: 'sessions', group: concurrency },
    ),
    archive_after_days: titled(
      'Archive after',
      Whole(0, 3_650, 0, 'A session is archived this long after its end; 0: it never is.'),
      { unit: 'days', group: 'Afterwards' },
    ),
    memory_default: titled('Memory by default', Flag(true, 'The `memory_enabled` of a session that does not set it.'), {
      group: 'Context',
    }),
  }),
  enforced: true,
  example: { max_minutes: 120, max_concurrent: 20, approval_timeout_minutes: 480 },
  async missing({ trx, orgId }, { default_agent: agent }) {
    if (agent === '' || (await agentExists(trx, orgId, agent))) return [];
    return [{ path: '/default_agent', message: 'does not exist in this organization' }];
  },
});
