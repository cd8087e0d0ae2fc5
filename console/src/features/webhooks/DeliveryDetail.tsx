import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { Facts, Section } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Delivery, Webhook } from './queries.ts';
import { deliveryState, readable } from './words.ts';

interface Props {
  org: string;
  hook: Webhook;
  delivery: Delivery;
  canWrite: boolean;
  close: () => void;
}

/** A delivery: what was sent, each attempt, and the last response. */
export function DeliveryDetail({ org, hook, delivery, canWrite, close }: Props) {
  const again = useAction({
    call: () => {
      const params = { path: { id: hook.id, deliveryId: delivery.id } };
      const path = '/v3/organizations/{orgId}/webhooks/{id}/deliveries/{deliveryId}/redeliver';
      return unwrap(apiOf(org).POST(path, { params, body: {} }));
    },
    touches: [keys.lists(org, 'webhooks')],
    says: 'It is sent again.',
  });
  return (
    <div className="px-4 pb-4 sm:px-6">
      <Section
        title={`${delivery.type}: ${deliveryState(delivery).word}`}
        actions={
          <>
            {canWrite && hook.enabled && (
              <Button disabled={again.isPending} onClick={() => again.mutate()}>
                Send again
              </Button>
            )}
            <Button look="bare" aria-label="Close" className="px-2" onClick={close}>
              <X size={16} strokeWidth={1.5} aria-hidden />
            </Button>
          </>
        }
      >
        <Facts
          facts={[
            ['About', <code key="about">{delivery.resource.id}</code>],
            ['Next attempt', delivery.next_attempt_at === null ? undefined : <Time at={delivery.next_attempt_at} />],
            ['webhook-id', <code key="id">{delivery.id}</code>],
          ]}
        />
        <Attempts delivery={delivery} />
        <div className="grid gap-4 md:grid-cols-2">
          <Text title="Sent">{readable(delivery.request_body)}</Text>
          {delivery.response_body !== '' && <Text title="Last response">{delivery.response_body}</Text>}
        </div>
      </Section>
    </div>
  );
}

function Attempts({ delivery: { attempt_log: log } }: { delivery: Delivery }) {
  if (log.length === 0) return null;
  return (
    <ol aria-label="Attempts" className="flex flex-col">
      {log.map(({ at, status_code: status, problem, duration_ms: took }) => (
        <li key={at} className="flex min-h-7 flex-wrap items-center gap-x-4 border-b border-line">
          <Time at={at} />
          <span className="mono">{status ?? 'no response'}</span>
          <span className="mono text-ink-3">{took} ms</span>
          {problem !== '' && <span className="min-w-0 break-words text-bad">{problem}</span>}
        </li>
      ))}
    </ol>
  );
}

function Text({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="pb-1 font-medium">{title}</h3>
      <pre
        tabIndex={0}
        className="max-h-80 overflow-auto rounded-control bg-sunken p-3 break-words whitespace-pre-wrap"
      >
        {children}
      </pre>
    </section>
  );
}
