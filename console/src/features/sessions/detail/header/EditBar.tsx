import { useState } from 'react';
import { apiOf, unwrap, type Schemas, type Session } from '../../../../lib/api.ts';
import { failureOf } from '../../../../lib/errors.ts';
import { keys } from '../../../../lib/keys.ts';
import { useAction } from '../../../../lib/useAction.ts';
import { Button } from '../../../../ui/Button.tsx';
import { Field, fieldClass } from '../../../../ui/Field.tsx';

export type Editing = 'title' | 'tags' | 'budget';
type Change = Schemas['UpdateSessionRequest'];

interface Props {
  org: string;
  session: Session;
  what: Editing;
  close: () => void;
}

const path = '/v3/organizations/{orgId}/sessions/{id}';

/** The form for the title, the tags or the limits, below the header. */
export function EditBar({ org, session, what, close }: Props) {
  const [values, setValues] = useState<Record<string, string>>(() => valuesOf(session, what));
  const { id, attention } = session;
  const params = { path: { id } };
  const resumes = what === 'budget' && attention === 'budget';
  const save = useAction({
    call: async (body: Change) => {
      await unwrap(apiOf(org).PATCH(path, { params, body }));
      if (resumes) await unwrap(apiOf(org).POST(`${path}/resume`, { params }));
    },
    touches: [keys.one(org, 'sessions', id), keys.lists(org, 'sessions')],
    errors: 'here',
    done: close,
  });
  const fields = fieldsOf[what];
  return (
    <form
      aria-label={names[what]}
      className="flex flex-wrap items-end gap-3 border-b border-line bg-surface px-4 py-3"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(changeOf(what, values));
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
    >
      {fields.map(({ name, label, hint, type }, at) => (
        <div key={name} className={type === 'number' ? 'w-36' : 'min-w-48 flex-1'}>
          <Field label={label} {...(hint === undefined ? {} : { hint })}>
            {(attributes) => (
              <input
                {...attributes}
                type={type}
                min={0}
                step="any"
                maxLength={type === 'number' ? undefined : 2_000}
                autoFocus={at === 0}
                value={values[name] ?? ''}
                onChange={({ target }) => setValues({ ...values, [name]: target.value })}
                className={fieldClass}
              />
            )}
          </Field>
        </div>
      ))}
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={save.isPending}>
          {resumes ? 'Raise and go on' : 'Save'}
        </Button>
        <Button look="bare" onClick={close}>
          Cancel
        </Button>
      </div>
      {save.isError && (
        <p role="alert" className="w-full text-bad">
          {failureOf(save.error).message}
        </p>
      )}
    </form>
  );
}

const names: Record<Editing, string> = { title: 'Title', tags: 'Tags', budget: 'Limits' };

interface FieldOf {
  name: string;
  label: string;
  hint?: string;
  type: 'text' | 'number';
}

const budgetNames = ['max_cost_usd', 'max_tokens', 'max_minutes', 'max_turns'] as const;

const fieldsOf: Record<Editing, readonly FieldOf[]> = {
  title: [{ name: 'title', label: 'Title', type: 'text' }],
  tags: [{ name: 'tags', label: 'Tags', hint: 'Separated by commas', type: 'text' }],
  budget: [
    { name: 'max_cost_usd', label: 'Cost, $', hint: 'Empty: no limit', type: 'number' },
    { name: 'max_tokens', label: 'Tokens', type: 'number' },
    { name: 'max_minutes', label: 'Minutes', type: 'number' },
    { name: 'max_turns', label: 'Turns', type: 'number' },
  ],
};

function valuesOf({ title, tags, budget }: Session, what: Editing): Record<string, string> {
  if (what === 'title') return { title };
  if (what === 'tags') return { tags: tags.join(', ') };
  return Object.fromEntries(budgetNames.map((name) => [name, budget[name] === undefined ? '' : String(budget[name])]));
}

function changeOf(what: Editing, values: Record<string, string>): Change {
  if (what === 'title') return { title: values['title']?.trim() ?? '' };
  if (what === 'tags')
    return { tags: [...new Set(values['tags']?.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '') };
  const given = budgetNames.filter((name) => (values[name] ?? '') !== '');
  return { budget: Object.fromEntries(given.map((name) => [name, Number(values[name])])) };
}
