import { useEffect, useRef } from 'react';
import type { SchemaField } from '../../forms/schema/shape.ts';
import { shown } from '../../forms/schema/words.ts';
import { Button } from '../../ui/Button.tsx';
import { Time } from '../../ui/Time.tsx';
import { changedFields, chosenOf, valueOf, type Chosen, type SettingsRecord } from './draft.ts';
import type { Draft } from './useDraft.ts';

/** What somebody else saved while the person made changes, beside these. Nothing is lost before a choice. */
export function Conflict({
  fields,
  draft,
  theirs,
  isRefused,
}: {
  fields: readonly SchemaField[];
  draft: Draft;
  theirs: SettingsRecord;
  /** True if saving was refused; otherwise their change just arrived, perhaps in the midst of a word. */
  isRefused: boolean;
}) {
  const { before, chosen } = draft;
  const top = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isRefused) top.current?.scrollIntoView({ block: 'nearest' });
  }, [isRefused]);
  const others = chosenOf(theirs);
  const concerned = fields.filter((field) =>
    [...changedFields([field], before, others), ...changedFields([field], before, chosen)].includes(field),
  );
  const both = concerned.filter(
    (field) =>
      changedFields([field], before, others).length > 0 &&
      changedFields([field], before, chosen).length > 0 &&
      changedFields([field], others, chosen).length > 0,
  );
  return (
    <section
      ref={top}
      aria-label="Changed meanwhile"
      role="alert"
      className="flex flex-col gap-3 border-l-2 border-wait bg-wait-soft px-4 py-3"
    >
      <p>
        <strong className="font-medium">{theirs.updated_by?.name || 'Somebody else'}</strong> changed these settings
        {theirs.updated_at !== null && (
          <>
            {' '}
            <Time at={theirs.updated_at} />
          </>
        )}
        , while you were changing them.{' '}
        {both.length === 0
          ? 'Your changes are of other fields.'
          : `You both changed ${both.map(({ title }) => title).join(', ')}.`}
      </p>
      <table className={tableClass}>
        <thead className="max-md:hidden">
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Before</th>
            <th scope="col">Theirs</th>
            <th scope="col">Yours</th>
          </tr>
        </thead>
        <tbody>
          {concerned.map((field) => (
            <tr key={field.key}>
              <th scope="row">{field.title}</th>
              <td className="text-ink-2">
                <Narrow>Before</Narrow>
                {clip(shown(field, valueOf(field, before)))}
              </td>
              <Version name="Theirs" field={field} before={before} value={others} />
              <Version name="Yours" field={field} before={before} value={chosen} />
            </tr>
          ))}
        </tbody>
      </table>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" onClick={() => draft.keepOn(theirs)}>
          Keep my changes on top of theirs
        </Button>
        <Button onClick={() => draft.start(theirs)}>Take theirs, discard mine</Button>
      </div>
    </section>
  );
}

interface VersionProps {
  name: string;
  field: SchemaField;
  before: Chosen;
  value: Chosen;
}

function Version({ name, field, before, value }: VersionProps) {
  const isChanged = changedFields([field], before, value).length > 0;
  return (
    <td className={isChanged ? 'font-medium' : 'text-ink-3'}>
      <Narrow>{name}</Narrow>
      {isChanged ? clip(shown(field, valueOf(field, value))) : 'as before'}
    </td>
  );
}

/** The heading of a column, where a narrow screen has none. */
function Narrow({ children }: { children: string }) {
  return <span className="text-ink-3 md:hidden">{children}: </span>;
}

const tableClass =
  'w-full table-fixed border-collapse text-left max-md:block max-md:[&_tbody]:block max-md:[&_tr]:block max-md:[&_tr]:py-2 max-md:[&_td]:block max-md:[&_th]:block [&_tr]:border-t [&_tr]:border-line [&_thead_tr]:border-0 [&_td]:py-1 [&_td]:pr-4 [&_td]:align-top [&_td]:break-words [&_th]:py-1 [&_th]:pr-4 [&_th]:align-top [&_th]:font-medium max-md:[&_td]:py-0 max-md:[&_th]:py-0';

function clip(text: string): string {
  return text.length > 400 ? `${text.slice(0, 399)}…` : text;
}
