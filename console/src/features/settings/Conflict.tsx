import type { SchemaField } from '../../forms/schema/shape.ts';
import { shown } from '../../forms/schema/words.ts';
import { Button } from '../../ui/Button.tsx';
import { Time } from '../../ui/Time.tsx';
import { changedFields, chosenOf, valueOf, type SettingsRecord } from './draft.ts';
import type { Draft } from './useDraft.ts';

/** What somebody else saved while the person made changes, beside these. Nothing is lost before a choice. */
export function Conflict({
  fields,
  draft,
  theirs,
}: {
  fields: readonly SchemaField[];
  draft: Draft;
  theirs: SettingsRecord;
}) {
  const { before, chosen } = draft;
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
        , while you did.{' '}
        {both.length === 0
          ? 'Your changes are of other fields.'
          : `You both changed ${both.map(({ title }) => title).join(', ')}.`}
      </p>
      <div className="overflow-x-auto">
        <table className="w-full min-w-[480px] border-collapse text-left [&_td]:border-t [&_td]:border-line [&_td]:px-2 [&_td]:py-1 [&_td]:align-top [&_td]:break-words [&_th]:px-2 [&_th]:font-medium">
          <thead>
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
                <td>{field.title}</td>
                <td className="text-ink-2">{clip(shown(field, valueOf(field, before)))}</td>
                <Version field={field} before={before} value={others} />
                <Version field={field} before={before} value={chosen} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" onClick={() => draft.keepOn(theirs)}>
          Keep my changes on top of theirs
        </Button>
        <Button onClick={() => draft.start(theirs)}>Take theirs, discard mine</Button>
      </div>
    </section>
  );
}

function Version({ field, before, value }: { field: SchemaField; before: Draft['before']; value: Draft['before'] }) {
  const isChanged = changedFields([field], before, value).length > 0;
  return (
    <td className={isChanged ? 'font-medium' : 'text-ink-3'}>
      {isChanged ? clip(shown(field, valueOf(field, value))) : 'as before'}
    </td>
  );
}

function clip(text: string): string {
  return text.length > 400 ? `${text.slice(0, 399)}…` : text;
}
