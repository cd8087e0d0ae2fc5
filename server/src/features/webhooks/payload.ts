import type { OutboxEvent } from '../../outbox/event.ts';
import { summaryOf } from '../events/visibility.ts';

const maxSummaryCharacters = 65_536;

/** Returns the body of a request: an event in the form that Standard Webhooks recommends. */
export function payloadOf(
  event: Pick<OutboxEvent, 'orgId' | 'seq' | 'type' | 'at' | 'resource' | 'actor' | 'data'>,
): string {
  const { orgId, seq, type, at, resource, actor } = event;
  const summary = summaryOf(event.data);
  const isShort = JSON.stringify(summary).length <= maxSummaryCharacters;
  const data = { organization_id: orgId, seq, resource, actor, summary: isShort ? summary : {} };
  return JSON.stringify({ type, timestamp: at.toISOString(), data });
}
