import { useState, type FormEvent } from 'react';
import type { Session } from '../../../lib/api.ts';
import { count } from '../../../lib/format.ts';
import { useActions } from '../../../lib/actions.ts';
import { useAction } from '../../../lib/useAction.ts';
import { Button } from '../../../ui/Button.tsx';
import { useConfirm } from '../../../ui/Confirm.tsx';
import { Field, fieldClass } from '../../../ui/Field.tsx';
import { Popover } from '../../../ui/Popover.tsx';
import { tagsOf, type BulkAction, type BulkResult } from './bulk-result.ts';
import { changeAll } from './bulk.ts';

interface Props {
  org: string;
  chosen: readonly Session[];
  select: (ids: ReadonlySet<string>) => void;
}

const verbs: Record<BulkAction, string> = {
  archive: 'archived',
  unarchive: 'taken out of the archive',
  cancel: 'ended',
  tag: 'tagged',
};

/** What can be done with the selected sessions, and what became of each. */
export function BulkBar({ org, chosen, select }: Props) {
  const [result, setResult] = useState<BulkResult>();
  const confirm = useConfirm();
  const change = useAction({
    call: ({ action, tags }: { action: BulkAction; tags?: string[] }) => changeAll(org, chosen, action, tags),
    touches: [[org, 'sessions']],
    says: ({ done, action }) => `${count(done)} ${done === 1 ? 'session' : 'sessions'} ${verbs[action]}.`,
    done: (made) => {
      setResult(made.refused.length > 0 ? made : undefined);
      select(new Set(made.refused.map(({ id }) => id)));
    },
  });
  const amount = chosen.length;
  const end = async () => {
    const yes = await confirm({
      title: `End ${count(amount)} ${amount === 1 ? 'session' : 'sessions'}?`,
      text: 'They stop at once and cannot be resumed. Pushed branches and logs stay.',
      action: 'End',
    });
    if (yes) change.mutate({ action: 'cancel' });
  };
  const archive = () => {
    if (amount > 0 && !change.isPending) change.mutate({ action: 'archive' });
  };
  useActions('Selection', amount === 0 ? [] : [{ label: 'Archive the selected', key: 'e', act: archive }]);
  if (amount === 0 && result === undefined) return null;
  return (
    <section
      aria-label="Selection"
      className="sticky bottom-(--thumb-bar) z-1 flex flex-col gap-2 border-t border-line bg-raised px-4 py-2 pb-[max(8px,env(safe-area-inset-bottom))] sm:px-6"
    >
      {result !== undefined && <Refused result={result} close={() => setResult(undefined)} />}
      {amount > 0 && (
        <div className="flex flex-wrap items-center gap-2">
          <p role="status" className="mr-2">
            <span className="mono">{count(amount)}</span> selected
          </p>
          {chosen.some(({ archived }) => !archived) && (
            <Button disabled={change.isPending} onClick={archive}>
              Archive
            </Button>
          )}
          {chosen.some(({ archived }) => archived) && (
            <Button disabled={change.isPending} onClick={() => change.mutate({ action: 'unarchive' })}>
              Take out of the archive
            </Button>
          )}
          <Popover title="Tag the selected" label="Tag">
            {(close) => (
              <TagForm
                submit={(tags) => {
                  change.mutate({ action: 'tag', tags });
                  close();
                }}
              />
            )}
          </Popover>
          <Button look="danger" disabled={change.isPending} onClick={() => void end()}>
            End
          </Button>
          <Button look="bare" onClick={() => select(new Set())}>
            Select none
          </Button>
        </div>
      )}
    </section>
  );
}

function Refused({ result: { done, action, refused }, close }: { result: BulkResult; close: () => void }) {
  return (
    <div role="alert" className="border-l-2 border-bad bg-bad-soft px-3 py-2">
      <p className="flex items-center gap-2">
        <span className="flex-1">
          {count(done)} of {count(done + refused.length)} {verbs[action]}. Not these:
        </span>
        <Button look="bare" onClick={close}>
          Close
        </Button>
      </p>
      <ul className="max-h-40 overflow-y-auto">
        {refused.map(({ id, title, reason }) => (
          <li key={id} className="py-0.5 break-words">
            <span className="font-medium">{title}</span>: {reason}
          </li>
        ))}
      </ul>
    </div>
  );
}

function TagForm({ submit }: { submit: (tags: string[]) => void }) {
  const [text, setText] = useState('');
  const tags = tagsOf(text);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (tags.length > 0) submit(tags);
  };
  return (
    <form className="flex flex-col gap-3" onSubmit={onSubmit}>
      <Field label="Tags to add" hint="Several are parted by commas.">
        {(attributes) => (
          <input
            {...attributes}
            autoComplete="off"
            maxLength={1_000}
            value={text}
            onChange={({ target }) => setText(target.value)}
            className={fieldClass}
          />
        )}
      </Field>
      <Button type="submit" look="primary" disabled={tags.length === 0}>
        Add
      </Button>
    </form>
  );
}
