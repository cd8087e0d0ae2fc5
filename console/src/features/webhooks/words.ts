import type { Delivery, Webhook } from './queries.ts';

interface State {
  word: string;
  tone: 'plain' | 'wait' | 'bad' | 'run';
}

/** How a webhook is: its word and tone. */
export function hookState({ enabled, disabled_reason: reason, failing_since: failing }: Webhook): State {
  if (!enabled) {
    const reasons: Record<Webhook['disabled_reason'], string> = {
      '': 'Off',
      failures: 'Off: no success in 5 days',
      gone: 'Off: its receiver is gone',
      backlog: 'Off: too many pending deliveries',
    };
    return { word: reasons[reason], tone: reason === '' ? 'plain' : 'bad' };
  }
  return failing === null ? { word: 'On', tone: 'plain' } : { word: 'Failing', tone: 'bad' };
}

export const deliveryStates = [
  ['pending', 'pending'],
  ['delivered', 'delivered'],
  ['failed', 'failed'],
] as const;

export function deliveryState({ state, attempts }: Pick<Delivery, 'state' | 'attempts'>): State {
  if (state === 'delivered') return { word: 'Delivered', tone: 'plain' };
  if (state === 'failed') return { word: 'Failed', tone: 'bad' };
  return attempts === 0 ? { word: 'Waits', tone: 'run' } : { word: 'Tries again', tone: 'wait' };
}

/** Returns which events a webhook gets, in words. */
export function eventsWord(events: readonly string[]): string {
  return events.length === 0 ? 'all events' : events.join(', ');
}

/** Returns a body for reading: JSON with line breaks, anything else as it is. */
export function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** The lines of a field, each once. */
export function eventsOf(text: string): string[] {
  const lines = text.split(/[\s,]/).filter((line) => line !== '');
  return [...new Set(lines)];
}
