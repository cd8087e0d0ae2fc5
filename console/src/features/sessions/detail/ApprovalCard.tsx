import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState } from 'react';
import { apiOf, unwrap, type Schemas } from '../../../lib/api.ts';
import { keys } from '../../../lib/keys.ts';
import { useAction } from '../../../lib/useAction.ts';
import { Button } from '../../../ui/Button.tsx';
import { LongText } from '../../../ui/LongText.tsx';
import { Time } from '../../../ui/Time.tsx';
import { Needs } from '../../shell/Needs.tsx';
import { useCan } from '../../shell/useCan.ts';
import { draftOf, keepDraft, noteLeft, whileSending, type DraftKind } from '../approval-drafts.ts';
import { writtenOf } from '../board/asked.ts';
import { Markdown } from '../timeline/Markdown.tsx';
import { contextQuery } from './queries.ts';

type Approval = Schemas['Approval'];

const path = '/v3/organizations/{orgId}/sessions/{id}/approvals/{approvalId}';

/** Something that somebody must approve: exactly what would happen, a note, and the decision. */
export function ApprovalCard({ org, approval }: { org: string; approval: Approval }) {
  const { kind, request, requested_at: requestedAt, expires_at: expiresAt } = approval;
  const canRun = useCan(org, 'run');
  return (
    <div
      role="group"
      aria-label="Approval"
      className="my-1 flex flex-col gap-2 rounded-control border border-wait px-3 py-2"
    >
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium text-wait">
          {kind === 'plan' ? 'The plan waits for your approval' : `Allow ${request.tool}?`}
        </span>
        <span className="text-meta text-ink-3">
          asked <Time at={requestedAt} />, denied by itself <Time at={expiresAt} />
        </span>
      </p>
      {kind === 'tool' && <LongText label="Its input" text={writtenOf(request.input, 2)} />}
      {canRun ? (
        <Decision org={org} approval={approval} />
      ) : (
        <>
          {kind === 'plan' && <Markdown text={request.plan} />}
          <Needs org={org} scope="run" what="Deciding" />
        </>
      )}
    </div>
  );
}

function Decision({ org, approval }: { org: string; approval: Approval }) {
  const { id, session_id: session, kind, request } = approval;
  const [note, setNote] = useDraft('note', id, '');
  const [plan, setPlan] = useDraft('plan', id, request.plan);
  const [isEditing, setEditing] = useState(plan !== request.plan);
  const { data: context } = useQuery({ ...contextQuery(org, session), enabled: kind === 'plan' });
  // The steps of a script are its agent's: the API refuses others.
  const isScript = context?.agent.runtime === 'script';
  const canEdit = context !== undefined && !isScript;
  const decide = useAction({
    call: (decision: 'approve' | 'deny') => {
      const isEdited = decision === 'approve' && kind === 'plan' && isEditing && plan !== request.plan;
      const body = { decision, ...(note.trim() === '' ? {} : { note }), ...(isEdited ? { edited_plan: plan } : {}) };
      return whileSending(id, async () => {
        const decided = await unwrap(
          apiOf(org).POST(path, { params: { path: { id: session, approvalId: id } }, body }),
        );
        setNote('');
        setPlan(request.plan);
        return decided;
      });
    },
    touches: [keys.one(org, 'sessions', session), keys.lists(org, 'sessions')],
  });
  const fields = useFields(id);
  return (
    <div ref={fields} className="contents">
      {kind === 'plan' &&
        (isEditing ? (
          <textarea
            aria-label="The plan"
            rows={8}
            maxLength={100_000}
            value={plan}
            onChange={({ target }) => setPlan(target.value)}
            className="field-sizing-content max-h-[50vh] w-full rounded-control border border-line-strong bg-surface px-3 py-2"
          />
        ) : (
          <Markdown text={request.plan} />
        ))}
      <textarea
        aria-label="Note to the agent"
        placeholder={isScript ? 'A note on the decision' : 'A note to the agent; with a denial, what to do instead'}
        rows={1}
        maxLength={10_000}
        value={note}
        onChange={({ target }) => setNote(target.value)}
        className="field-sizing-content max-h-40 w-full resize-none rounded-control border border-line-strong bg-surface px-3 py-1.5 placeholder:text-ink-3"
      />
      <p className="flex flex-wrap gap-2">
        <Button look="primary" disabled={decide.isPending} onClick={() => decide.mutate('approve')}>
          {kind === 'tool' ? 'Allow' : isEditing && plan !== request.plan ? 'Approve as edited' : 'Approve'}
        </Button>
        <Button disabled={decide.isPending} onClick={() => decide.mutate('deny')}>
          {note.trim() === '' ? 'Deny' : 'Deny with the note'}
        </Button>
        {canEdit && !isEditing && (
          <Button look="bare" onClick={() => setEditing(true)}>
            Edit the plan
          </Button>
        )}
      </p>
    </div>
  );
}

/** Notes who was typing when the fields went away. */
function useFields(id: string) {
  const fields = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = fields.current;
    return () => {
      if (document.activeElement?.matches('textarea') === true && element?.contains(document.activeElement) === true)
        noteLeft(id);
    };
  }, [id]);
  return fields;
}

/** A text that survives a reload until it is sent. */
function useDraft(kind: DraftKind, id: string, initial: string): [string, (value: string) => void] {
  const [text, setText] = useState(() => draftOf(kind, id) ?? initial);
  const write = (value: string) => {
    setText(value);
    keepDraft(kind, id, value === initial ? undefined : value);
  };
  return [text, write];
}
