import { useQuery, type UseQueryOptions } from '@tanstack/react-query';
import type { QueryKey } from '@tanstack/react-query';
import { Field, fieldClass } from '../../../ui/Field.tsx';
import { failureOf } from '../../../lib/errors.ts';
import type { Given } from './draft.ts';

interface Props<Item, Key extends QueryKey> {
  label: string;
  /** The words for no choice of one's own. */
  all: string;
  query: UseQueryOptions<Item[], Error, Item[], Key>;
  /** Returns the id and the name of an item. */
  nameOf: (item: Item) => readonly [string, string];
  value: Given;
  onChange: (value: Given) => void;
  problem: string | undefined;
}

/** What the session is given of a kind: all that apply, nothing, or exactly what is ticked. */
export function GivenField<Item, Key extends QueryKey>({
  label,
  all,
  query,
  nameOf,
  value,
  onChange,
  problem,
}: Props<Item, Key>) {
  const isPicking = value !== null;
  const { data: items = [], error } = useQuery({ ...query, enabled: isPicking });
  const ids = new Set(value);
  const known = new Set(items.map((item) => nameOf(item)[0]));
  const toggle = (id: string, on: boolean) => onChange(on ? [...ids, id] : [...ids].filter((one) => one !== id));
  return (
    <div className="flex flex-col gap-1">
      <Field label={label} problem={problem}>
        {(attributes) => (
          <select
            {...attributes}
            value={isPicking ? 'some' : 'all'}
            onChange={({ target }) => onChange(target.value === 'all' ? null : [])}
            className={fieldClass}
          >
            <option value="all">{all}</option>
            <option value="some">Only what is ticked</option>
          </select>
        )}
      </Field>
      {isPicking && (
        <div
          role="group"
          aria-label={label}
          className="max-h-48 overflow-y-auto rounded-control border border-line p-1"
        >
          {error !== null && <p className="text-bad">{failureOf(error).message}</p>}
          {items.length === 0 && error === null && <p className="px-2 text-ink-3">There are none.</p>}
          {items.map((item) => {
            const [id, name] = nameOf(item);
            return <Tick key={id} name={name} checked={ids.has(id)} onChange={(on) => toggle(id, on)} />;
          })}
          {[...ids]
            .filter((id) => items.length > 0 && !known.has(id))
            .map((id) => (
              <Tick key={id} name={`${id}, not listed here`} checked onChange={() => toggle(id, false)} />
            ))}
        </div>
      )}
    </div>
  );
}

function Tick({ name, checked, onChange }: { name: string; checked: boolean; onChange: (on: boolean) => void }) {
  return (
    <label className="flex min-h-6 items-center gap-2 px-1 pointer-coarse:min-h-11">
      <input
        type="checkbox"
        checked={checked}
        onChange={({ target }) => onChange(target.checked)}
        className="size-4 shrink-0 accent-accent"
      />
      <span className="truncate" title={name}>
        {name}
      </span>
    </label>
  );
}
