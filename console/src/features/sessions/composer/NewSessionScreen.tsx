import { useMutation } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { ApiError, apiOf, unwrap } from '../../../lib/api.ts';
import { failureOf } from '../../../lib/errors.ts';
import { useTitle } from '../../../lib/title.ts';
import { Button } from '../../../ui/Button.tsx';
import { Field } from '../../../ui/Field.tsx';
import { Choices } from './Choices.tsx';
import { finishDraft, openDraft, requestOf, saveDraft, type Draft } from './draft.ts';

/** The page that starts a session. What is entered survives a reload and a refused request. */
export function NewSessionScreen() {
  const { org } = useParams({ from: '/$org/sessions/new' });
  const given = useSearch({ from: '/$org/sessions/new' });
  const navigate = useNavigate();
  const [draft, setDraft] = useState(() => openDraft(org, given));
  useTitle('New session');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
  }, []);
  const change = (part: Partial<Draft>) => {
    const next = { ...draft, ...part };
    setDraft(next);
    saveDraft(org, next);
  };
  const start = useMutation({
    mutationFn: () => unwrap(apiOf(org).POST('/v3/organizations/{orgId}/sessions', { body: requestOf(draft) })),
    onSuccess: ({ id }) => {
      finishDraft(org, draft);
      return navigate({ to: '/$org/sessions/$id', params: { org, id } });
    },
  });
  const canStart = draft.prompt.trim() !== '' && !start.isPending;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey) && canStart) start.mutate();
  };
  const issues = start.error instanceof ApiError ? start.error.issues : [];
  const problemOf = (path: string) => issues.find((issue) => `/${issue.path.join('/')}`.startsWith(path))?.message;
  return (
    <form
      className="flex max-w-[880px] flex-col gap-4 px-4 py-4 sm:px-6"
      onSubmit={(event) => {
        event.preventDefault();
        if (canStart) start.mutate();
      }}
    >
      <h1 className="text-title font-medium">New session</h1>
      <Field label="What should be done?" problem={problemOf('/prompt')}>
        {(attributes) => (
          <textarea
            {...attributes}
            ref={field}
            rows={6}
            maxLength={100_000}
            value={draft.prompt}
            onChange={({ target }) => change({ prompt: target.value })}
            onKeyDown={onKeyDown}
            className="field-sizing-content min-h-36 w-full rounded-control border border-line-strong bg-surface px-3 py-2 text-read"
          />
        )}
      </Field>
      <Choices org={org} draft={draft} change={change} problemOf={problemOf} />
      {start.isError && (
        <p role="alert" className="max-w-[72ch] border-l-2 border-bad bg-bad-soft px-3 py-2">
          {failureOf(start.error).message}
        </p>
      )}
      <p>
        <Button type="submit" look="primary" disabled={!canStart} className="w-full sm:w-auto">
          {start.isPending ? 'Starting …' : 'Start session'}
        </Button>
      </p>
    </form>
  );
}
