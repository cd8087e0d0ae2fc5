import { sql, type Kysely } from 'kysely';
import type { DB } from '../../../db/types.ts';
import type { ProvisioningStep } from '../schemas/event-schemas.ts';
import type { PhaseName } from '../schemas/session-schemas.ts';

interface OpenText {
  kind: 'message' | 'thought';
  message_id: string;
}

interface OpenCommand {
  command_id: string;
  call_id: string;
  command: string;
  phase: PhaseName | '';
  running_ms: number;
}

interface OpenStep {
  step: ProvisioningStep;
  subject: string;
  running_ms: number;
}

/** Returns the open events of a turn: texts of the agent, commands, and provisioning steps without an end. */
export async function readOpenEvents(db: Kysely<DB>, id: string, turn: number) {
  const texts = await sql<OpenText>`
    select kind, data ->> 'message_id' as message_id from session_events
    where session_id = ${id} and turn = ${turn} and kind in ('message', 'thought') and data ->> 'role' = 'agent'
    group by kind, data ->> 'message_id' having not bool_or((data ->> 'done')::boolean) order by min(seq)`.execute(db);
  const commands = await sql<OpenCommand>`
    select data ->> 'command_id' as command_id, coalesce(min(data ->> 'call_id'), '') as call_id,
      min(data ->> 'command') as command, min(data ->> 'phase') as phase,
      (extract(epoch from now() - min(created_at)) * 1000)::int as running_ms
    from session_events where session_id = ${id} and turn = ${turn} and kind = 'command'
    group by data ->> 'command_id' having count(*) = 1 order by min(seq)`.execute(db);
  const steps = await sql<OpenStep>`
    select step, subject, (extract(epoch from now() - created_at) * 1000)::int as running_ms from (
      select distinct on (data ->> 'step', data ->> 'subject') seq, created_at,
        data ->> 'step' as step, data ->> 'subject' as subject, data ->> 'status' as status
      from session_events where session_id = ${id} and turn = ${turn} and kind = 'provisioning'
      order by data ->> 'step', data ->> 'subject', seq desc) newest
    where status = 'running' order by seq`.execute(db);
  return { texts: texts.rows, commands: commands.rows, steps: steps.rows };
}
