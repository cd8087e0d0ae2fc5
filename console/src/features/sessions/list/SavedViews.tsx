import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { apiOf, unwrap, type Schemas } from '../../../lib/api.ts';
import { failureOf } from '../../../lib/errors.ts';
import { keys } from '../../../lib/keys.ts';
import { useAction } from '../../../lib/useAction.ts';
import { Button } from '../../../ui/Button.tsx';
import { useConfirm } from '../../../ui/Confirm.tsx';
import { cx } from '../../../ui/cx.ts';
import { Field, fieldClass } from '../../../ui/Field.tsx';
import { Failed } from '../../../ui/Notice.tsx';
import { Popover } from '../../../ui/Popover.tsx';
import { selfQuery } from '../../shell/organizations.ts';
import { useCan } from '../../shell/useCan.ts';
import { queryOfView, searchOfView, showsView, type ListSearch } from './filters.ts';
import { viewsQuery } from './views.ts';

interface Props {
  org: string;
  search: ListSearch;
}

/** The saved views of the list: filters and layout under a name, for everybody. */
export function SavedViews({ org, search }: Props) {
  const query = useQuery(viewsQuery(org));
  const open = query.data?.find(({ id }) => id === search.saved);
  const isSame = open !== undefined && showsView(search, open.query);
  const canRun = useCan(org, 'run');
  const name = open === undefined ? 'Views' : isSame ? open.name : `${open.name}, changed`;
  return (
    <Popover title="Saved views" label={<span className="max-w-40 truncate">{name}</span>}>
      {(close) => (
        <div className="flex flex-col gap-4">
          {query.isError && <Failed error={query.error} retry={() => void query.refetch()} />}
          {query.data?.length === 0 && <p className="text-ink-3">A view keeps filters under a name. None is saved.</p>}
          <ul className="max-h-[40dvh] overflow-y-auto">
            {query.data?.map((view) => (
              <ViewEntry key={view.id} org={org} view={view} isOpen={view === open} close={close} />
            ))}
          </ul>
          {canRun && !isSame && <SaveForm org={org} search={search} close={close} />}
        </div>
      )}
    </Popover>
  );
}

function ViewEntry({
  org,
  view,
  isOpen,
  close,
}: {
  org: string;
  view: Schemas['View'];
  isOpen: boolean;
  close: () => void;
}) {
  const { id, name, query, created_by: creator } = view;
  const confirm = useConfirm();
  const { data: self } = useQuery(selfQuery(org));
  const canDelete =
    self?.scopes.includes('run') === true && (self.principal_id === creator.id || self.scopes.includes('org:write'));
  const remove = useAction({
    call: () => unwrap(apiOf(org).DELETE('/v3/organizations/{orgId}/views/{id}', { params: { path: { id } } })),
    touches: [keys.lists(org, 'views')],
    says: `Deleted the view ${name}.`,
  });
  const ask = async () => {
    const text = 'Nobody in the organization will find it any more. Sessions stay as they are.';
    if (await confirm({ title: `Delete the view “${name}”?`, text, action: 'Delete' })) remove.mutate();
  };
  return (
    <li className={cx('flex items-center rounded-control hover:bg-sunken', isOpen && 'bg-accent-soft')}>
      <Link
        to="/$org/sessions"
        params={{ org }}
        search={searchOfView(id, query)}
        onClick={close}
        title={creator.name === '' ? name : `${name}, by ${creator.name}`}
        className="flex h-8 min-w-0 flex-1 items-center px-2 pointer-coarse:h-11"
      >
        <span className="truncate">{name}</span>
      </Link>
      {canDelete && (
        <Button look="bare" aria-label={`Delete the view ${name}`} onClick={() => void ask()} className="px-2">
          <Trash2 size={16} strokeWidth={1.5} aria-hidden />
        </Button>
      )}
    </li>
  );
}

function SaveForm({ org, search, close }: Props & { close: () => void }) {
  const [name, setName] = useState('');
  const navigate = useNavigate();
  const save = useAction({
    call: () => {
      const body = { list: 'sessions' as const, name: name.trim(), query: queryOfView(search) };
      return unwrap(apiOf(org).POST('/v3/organizations/{orgId}/views', { body }));
    },
    touches: [keys.lists(org, 'views')],
    errors: 'here',
    done: ({ id }) => {
      close();
      return navigate({ to: '/$org/sessions', params: { org }, search: { ...search, saved: id }, replace: true });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '' && !save.isPending) save.mutate();
  };
  return (
    <form className="flex flex-col gap-2 border-t border-line pt-3" onSubmit={submit}>
      <Field
        label="Save what is shown now"
        hint="Everybody in the organization sees the name."
        problem={save.isError ? failureOf(save.error).message : undefined}
      >
        {(attributes) => (
          <input
            {...attributes}
            autoComplete="off"
            maxLength={100}
            placeholder="Name"
            value={name}
            onChange={({ target }) => setName(target.value)}
            className={fieldClass}
          />
        )}
      </Field>
      <Button type="submit" look="primary" disabled={name.trim() === '' || save.isPending}>
        Save the view
      </Button>
    </form>
  );
}
