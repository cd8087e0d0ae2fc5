import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Form } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { useConfirm } from '../../ui/Confirm.tsx';
import { LongText } from '../../ui/LongText.tsx';
import { Time } from '../../ui/Time.tsx';
import { useCan } from '../shell/useCan.ts';
import { NoteFields, type NoteValues } from './NoteFields.tsx';
import { suggestionsPath, type Suggestion } from './queries.ts';

/** A suggested note, with what can be done about it. */
export function SuggestionCard({ org, suggestion }: { org: string; suggestion: Suggestion }) {
  const { id, session_id: session, name, trigger, body, repo, status, note_id: noteId } = suggestion;
  const { decided_by: by, decided_at: decidedAt, created_at: at } = suggestion;
  const [isEdited, setEdited] = useState(false);
  const canWrite = useCan(org, 'memory:write') && status === 'pending';
  return (
    <li className="flex flex-col gap-2 border-b border-line pb-4">
      <h2 className="text-read font-medium break-words">{name}</h2>
      <p className="text-meta text-ink-3">
        {repo === '' ? 'No repository' : repo} · <Time at={at} />
        {session !== '' && (
          <>
            {' · '}
            <Link to="/$org/sessions/$id" params={{ org, id: session }} className="underline">
              its session
            </Link>
          </>
        )}
        {decidedAt !== null && (
          <>
            {` · ${status} ${by.name === undefined || by.name === '' ? '' : `by ${by.name} `}`}
            <Time at={decidedAt} />
          </>
        )}
        {noteId !== '' && (
          <>
            {' · '}
            <Link to="/$org/knowledge/$noteId" params={{ org, noteId }} className="underline">
              the note
            </Link>
          </>
        )}
      </p>
      {isEdited && canWrite ? (
        <EditSuggestion org={org} suggestion={suggestion} close={() => setEdited(false)} />
      ) : (
        <>
          <p className="break-words">
            <span className="text-ink-3">When: </span>
            {trigger}
          </p>
          <LongText label="The suggested text" text={body} />
          {canWrite && <Decide org={org} id={id} name={name} edit={() => setEdited(true)} />}
        </>
      )}
    </li>
  );
}

function Decide({ org, id, name, edit }: { org: string; id: string; name: string; edit: () => void }) {
  const ask = useConfirm();
  const options = { params: { path: { id } } };
  const touches = [keys.all(org, 'knowledge')];
  const accept = useAction({
    call: () => unwrap(apiOf(org).POST(`${suggestionsPath}/{id}/accept`, { ...options, body: {} })),
    touches,
    says: `“${name}” is a note now.`,
  });
  const dismiss = useAction({
    call: () => unwrap(apiOf(org).POST(`${suggestionsPath}/{id}/dismiss`, options)),
    touches,
  });
  const confirmDismissal = async () => {
    const text = 'It cannot be accepted afterwards.';
    if (await ask({ title: `Dismiss “${name}”?`, text, action: 'Dismiss' })) dismiss.mutate();
  };
  const isBusy = accept.isPending || dismiss.isPending;
  return (
    <div className="flex flex-wrap gap-2">
      <Button look="primary" onClick={() => accept.mutate()} disabled={isBusy}>
        Accept
      </Button>
      <Button onClick={edit} disabled={isBusy}>
        Edit first
      </Button>
      <Button look="bare" onClick={() => void confirmDismissal()} disabled={isBusy}>
        Dismiss
      </Button>
    </div>
  );
}

function EditSuggestion({ org, suggestion, close }: { org: string; suggestion: Suggestion; close: () => void }) {
  const { id, name, trigger, body, repo } = suggestion;
  const of = useApiForm({
    values: {
      name,
      trigger,
      body,
      scope: repo === '' ? ('organization' as const) : ('repository' as const),
      repo_filter: repo,
      enabled: true,
    },
    call: ({ enabled: _enabled, ...changed }: NoteValues) =>
      unwrap(apiOf(org).POST(`${suggestionsPath}/{id}/accept`, { params: { path: { id } }, body: changed })),
    touches: [keys.all(org, 'knowledge')],
    says: ({ name: named }) => `“${named}” is a note now.`,
  });
  return (
    <Form of={of} action="Accept it like this" needsChange={false} others={<Button onClick={close}>Cancel</Button>}>
      <NoteFields hasState={false} />
    </Form>
  );
}
