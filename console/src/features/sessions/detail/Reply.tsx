import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type KeyboardEvent } from 'react';
import { apiOf, unwrap, type Session } from '../../../lib/api.ts';
import { failureOf } from '../../../lib/errors.ts';
import { keys } from '../../../lib/keys.ts';
import { recall, remember } from '../../../lib/storage.ts';
import { Button } from '../../../ui/Button.tsx';

const path = '/v3/organizations/{orgId}/sessions/{id}';

/** The field for a message to a session. Its text survives a reload and a failed send. */
export function Reply({ org, session }: { org: string; session: Session }) {
  const { id, status } = session;
  const draft = `reply/${id}`;
  const [text, setText] = useState(() => recall(draft) ?? '');
  const [delivery, setDelivery] = useState<'steer' | 'queue'>('steer');
  const client = useQueryClient();
  const write = (value: string) => {
    setText(value);
    remember(draft, value === '' ? undefined : value);
  };
  const refresh = () => client.invalidateQueries({ queryKey: keys.one(org, 'sessions', id) });
  const send = useMutation({
    mutationFn: (content: string) =>
      unwrap(apiOf(org).POST(`${path}/messages`, { params: { path: { id } }, body: { content, delivery } })),
    onSuccess: (_, content) => {
      setText((now) => (now === content ? '' : now));
      remember(draft, undefined);
      return refresh();
    },
  });
  const interrupt = useMutation({
    mutationFn: () => unwrap(apiOf(org).POST(`${path}/interrupt`, { params: { path: { id } } })),
    onSettled: refresh,
  });
  const submit = () => {
    if (text.trim() !== '' && !send.isPending) send.mutate(text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit();
  };
  const isRunning = status === 'running';
  const failed = send.error ?? interrupt.error;
  return (
    <form
      className="flex flex-col gap-2 border-t border-line bg-canvas px-4 py-3 pb-[max(12px,env(safe-area-inset-bottom))] sm:px-6"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {failed !== null && (
        <p role="alert" className="text-bad">
          {failureOf(failed).message}
        </p>
      )}
      <textarea
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
          <>
            <select
              aria-label="Delivery"
              value={delivery}
              onChange={({ target }) => setDelivery(target.value === 'queue' ? 'queue' : 'steer')}
              className="h-8 rounded-control border border-line-strong bg-surface px-2 pointer-coarse:h-11"
            >
              <option value="steer">Before the next step</option>
              <option value="queue">After this turn</option>
            </select>
            <Button disabled={interrupt.isPending} onClick={() => interrupt.mutate()}>
              Interrupt
            </Button>
          </>
        )}
        <Button type="submit" look="primary" disabled={text.trim() === '' || send.isPending}>
          {isRunning && delivery === 'steer' ? 'Steer' : isRunning ? 'Queue' : 'Send'}
        </Button>
      </div>
    </form>
  );
}
