import { useLayoutEffect, useRef } from 'react';
import type { Schemas } from '../../../lib/api.ts';
import { Button } from '../../../ui/Button.tsx';
import { CopyButton } from '../../../ui/Copy.tsx';
import { keepDraft, takeLeft, useUnsent, type DraftKind } from '../approval-drafts.ts';

interface Props {
  id: string;
  /** Who decided; null or undefined if nobody did, or if it is not known yet. */
  by: Schemas['Approval']['decided_by'] | undefined;
}

/** The note and the plan that a person was writing when somebody else decided; nothing without one. */
export function UnsentTexts({ id, by }: Props) {
  const why = by === null || by === undefined ? 'It was decided' : `${by.name === '' ? 'Somebody' : by.name} decided`;
  return (
    <>
      <UnsentText kind="note" id={id} title={`${why} before you sent this note`} />
      <UnsentText kind="plan" id={id} title={`${why} before you sent this plan`} />
    </>
  );
}

function UnsentText({ kind, id, title }: { kind: DraftKind; id: string; title: string }) {
  const text = useUnsent(kind, id);
  return text === undefined ? null : (
    <Text text={text} id={id} title={title} drop={() => keepDraft(kind, id, undefined)} />
  );
}

function Text({ text, id, title, drop }: { text: string; id: string; title: string; drop: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  // Keys of somebody who types on must not become those of the page.
  useLayoutEffect(() => {
    if (takeLeft(id)) field.current?.focus();
  }, [id]);
  return (
    <div role="group" aria-label="Not sent" className="my-1 flex flex-col gap-1 border-l-2 border-wait px-3">
      <p className="text-wait">{title}.</p>
      <textarea
        ref={field}
        readOnly
        aria-label={title}
        rows={1}
        value={text}
        className="field-sizing-content max-h-40 w-full resize-none rounded-control border border-line bg-sunken px-3 py-1.5"
      />
      <p className="flex flex-wrap gap-2">
        <CopyButton text={text} />
        <Button look="bare" onClick={drop}>
          Discard
        </Button>
      </p>
    </div>
  );
}
