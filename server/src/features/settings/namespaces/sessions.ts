import { agentExists } from '../store.ts';
import { defineNamespace } from './define.ts';
import { Flag, Value, Whole, Word } from './fields.ts';

export const sessions = defineNamespace({
  value: Value({
    default_agent: Word(64, "Id of the default agent. '' is the organization's `builtin`."),
    max_minutes: Whole(0, 100_000, 0, "The maximum and the default of a session's `budget.max_minutes`; 0: no limit."),
    idle_suspend_minutes: Whole(
      0,
      100_000,
      60,
      'A session that waits for a user this long is suspended; 0: it never is.',
    ),
    approval_timeout_minutes: Whole(
      1,
      100_000,
      1_440,
      'A session waits this long for an approval; without a decision the request is then denied.',
    ),
    max_concurrent: Whole(0, 100_000, 0, 'The maximum number of sessions that run at once; 0: no limit.'),
    max_concurrent_regular: Whole(
      0,
      100_000,
      0,
      'The same for each member with the role `regular`, if it is the lower of the two; 0: no limit.',
    ),
    archive_after_days: Whole(0, 3_650, 0, 'A session is archived this long after its end; 0: it never is.'),
    memory_default: Flag(true, 'The `memory_enabled` of a session that does not set it.'),
  }),
  enforced: true,
  example: { max_minutes: 120, max_concurrent: 20, approval_timeout_minutes: 480 },
  async missing({ trx, orgId }, { default_agent: agent }) {
    if (agent === '' || (await agentExists(trx, orgId, agent))) return [];
    return [{ path: '/default_agent', message: 'does not exist in this organization' }];
  },
});
