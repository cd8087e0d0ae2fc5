import { useState, type KeyboardEvent, type RefObject } from 'react';
import type { Session } from '../../../lib/api.ts';
import { Button } from '../../../ui/Button.tsx';
import { Queued } from './Queued.tsx';
import type { Delivery, Outbox } from './useOutbox.ts';

interface Props {
  org: string;
  session: Session;
  outbox: Outbox;
  text: string;
  write: (text: string) => void;
  field: RefObject<HTMLTextAreaElement | null>;
}

const deliveries: readonly (readonly [Delivery, string])[] = [
  ['steer', 'Before its next step'],
  ['queue', 'After this turn'],
  ['interrupt', 'Now, ending the turn'],
];

const verbs: Record<Delivery, string> = { steer: 'Steer', queue: 'Queue', interrupt: 'Interrupt and send' };

/** The field for a message to a session. Its text survives a reload and a failed send. */
export function Reply({ org, session: { id, status }, outbox, text, write, field }: Props) {
  const [delivery, setDelivery] = useState<Delivery>('steer');
  const isRunning = status === 'running';
  const submit = () => {
    if (text.trim() === '') return;
    outbox.send(text, isRunning ? delivery : 'steer');
    write('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit();
    if (event.key === 'Escape') field.current?.blur();
  };
  return (
    <form
      className="flex shrink-0 flex-col gap-2 border-t border-line bg-canvas px-4 py-2 pb-[max(8px,env(safe-area-inset-bottom))]"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Queued org={org} id={id} />
      <textarea
        ref={field}
        aria-label="Message"
        placeholder={isRunning ? 'Steer the agent, or queue what comes next' : 'Reply'}
        rows={2}
        maxLength={100_000}
        value={text}
        onChange={({ target }) => write(target.value)}
        onKeyDown={onKeyDown}
        className="field-sizing-content max-h-60 w-full resize-none rounded-control border border-line-strong bg-surface px-3 py-2 text-read placeholder:text-ink-3"
      />
      <div className="flex items-center justify-end gap-2">
        {isRunning && (
          <select
            aria-label="Delivery"
            value={delivery}
            onChange={({ target }) => setDelivery(deliveries.find(([value]) => value === target.value)?.[0] ?? 'steer')}
            className="h-8 min-w-0 rounded-control border border-line-strong bg-surface px-2 pointer-coarse:h-11"
          >
            {deliveries.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
        <Button type="submit" look="primary" disabled={text.trim() === ''}>
          {isRunning ? verbs[delivery] : 'Send'}
        </Button>
      </div>
    </form>
  );
}
