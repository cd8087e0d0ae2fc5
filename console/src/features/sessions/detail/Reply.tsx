import { useState, type KeyboardEvent, type RefObject } from 'react';
import type { Session } from '../../../lib/api.ts';
import { Button } from '../../../ui/Button.tsx';
import { cx } from '../../../ui/cx.ts';
import { useCan } from '../../shell/useCan.ts';
import { Attachments } from '../attachments/Attachments.tsx';
import { useFileDrop } from '../attachments/useFileDrop.ts';
import { useUploads } from '../attachments/useUploads.ts';
import { deliveries, type Delivery } from './outbox.ts';
import { Queued } from './Queued.tsx';
import type { Outbox } from './useOutbox.ts';
import type { Reply as Draft } from './useReplyDraft.ts';

interface Props {
  org: string;
  session: Session;
  outbox: Outbox;
  reply: Draft;
  field: RefObject<HTMLTextAreaElement | null>;
}

const whens: Record<Delivery, string> = {
  steer: 'Before its next step',
  queue: 'After this turn',
  interrupt: 'Now, ending the turn',
};

const verbs: Record<Delivery, string> = { steer: 'Steer', queue: 'Queue', interrupt: 'Interrupt and send' };

/** The field for a message to a session, with files. What is in it survives a reload and a failed send. */
export function Reply({ org, session: { id, status }, outbox, reply, field }: Props) {
  const { draft, write, add, remove, clear } = reply;
  const [delivery, setDelivery] = useState<Delivery>('steer');
  const canAttach = useCan(org, 'attachments:write');
  const uploads = useUploads(org, add);
  const { isOver, onPaste, target: dropTarget } = useFileDrop(canAttach ? uploads.add : undefined);
  const isRunning = status === 'running';
  const canSend = draft.text.trim() !== '' && !uploads.isSending;
  const submit = () => {
    if (!canSend) return;
    outbox.send(draft, isRunning ? delivery : 'steer');
    clear();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit();
    if (event.key === 'Escape') field.current?.blur();
  };
  const verb = isRunning ? verbs[delivery] : 'Send';
  return (
    <form
      aria-label="Reply"
      className="flex shrink-0 flex-col gap-2 border-t border-line bg-canvas px-4 py-2 pb-[max(8px,env(safe-area-inset-bottom))]"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      {...dropTarget}
    >
      <Queued org={org} id={id} />
      <textarea
        ref={field}
        aria-label="Message"
        placeholder={isRunning ? 'Steer the agent, or queue what comes next' : 'Reply'}
        rows={2}
        maxLength={100_000}
        value={draft.text}
        onChange={({ target }) => write(target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        className={cx(
          'field-sizing-content max-h-60 w-full resize-none rounded-control border px-3 py-2 text-read placeholder:text-ink-3',
          isOver ? 'border-accent bg-accent-soft' : 'border-line-strong bg-surface',
        )}
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        {canAttach && (
          <div className="-m-1 mr-auto max-h-28 min-w-0 overflow-auto p-1">
            <Attachments files={draft.files} {...uploads} remove={remove} />
          </div>
        )}
        {isRunning && (
          <select
            aria-label="Delivery"
            value={delivery}
            onChange={({ target }) => setDelivery(deliveries.find((one) => one === target.value) ?? 'steer')}
            className="h-8 min-w-0 rounded-control border border-line-strong bg-surface px-2 pointer-coarse:h-11"
          >
            {deliveries.map((value) => (
              <option key={value} value={value}>
                {whens[value]}
              </option>
            ))}
          </select>
        )}
        <Button type="submit" look="primary" disabled={!canSend}>
          {uploads.isSending ? 'Waiting for files …' : verb}
        </Button>
      </div>
    </form>
  );
}
