import { useQuery } from '@tanstack/react-query';
import { apiOf, unwrap } from '../../../lib/api.ts';
import { keys } from '../../../lib/keys.ts';
import { useAction } from '../../../lib/useAction.ts';
import { Button } from '../../../ui/Button.tsx';
import { approvalsQuery } from '../queries.ts';
import { messagesQuery } from './queries.ts';

const path = '/v3/organizations/{orgId}/sessions/{id}/messages/{messageId}';

/** Messages that the agent has not got yet; each can be taken back, except one that tells a decision. */
export function Queued({ org, id }: { org: string; id: string }) {
  const { data: messages = [] } = useQuery(messagesQuery(org, id));
  const { data: approvals } = useQuery(approvalsQuery(org, id));
  const withdraw = useAction({
    call: (messageId: string) => unwrap(apiOf(org).DELETE(path, { params: { path: { id, messageId } } })),
    touches: [keys.one(org, 'sessions', id)],
  });
  const queued = messages.filter(({ state, role }) => state === 'queued' && role === 'user');
  if (queued.length === 0) return null;
  const decisions = new Set(approvals?.map(({ message_id: told }) => told));
  return (
    <ul aria-label="Queued messages" className="flex max-h-28 flex-col gap-1 overflow-auto">
      {queued.map(({ id: message, content, delivery }) => (
        <li key={message} className="flex items-center gap-2 rounded-control bg-wait-soft px-2">
          <span className="text-meta whitespace-nowrap text-wait">
            {decisions.has(message) ? 'Decision' : delivery === 'steer' ? 'Before the next step' : 'Queued'}
          </span>
          <span className="min-w-0 flex-1 truncate" title={content.slice(0, 1_000)}>
            {content.slice(0, 300)}
          </span>
          {approvals !== undefined && !decisions.has(message) && (
            <Button look="bare" disabled={withdraw.isPending} onClick={() => withdraw.mutate(message)}>
              Withdraw
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
