import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Session } from '../../../../lib/api.ts';
import { ago } from '../../../../lib/format.ts';
import { useSearch } from '../../../../lib/useSearch.ts';
import { fieldClass } from '../../../../ui/Field.tsx';
import { checkpointsQuery } from '../queries.ts';

/** The choice of what the changes are compared with; nothing where there is only the start. */
export function SinceChoice({ org, session }: { org: string; session: Session }) {
  const { since } = useSearch({ from: '/$org/sessions/$id' });
  const navigate = useNavigate({ from: '/$org/sessions/$id' });
  const { data } = useQuery(checkpointsQuery(org, session.id));
  const items = data?.items ?? [];
  if (items.length < 2 && since === undefined) return null;
  const now = new Date();
  const several = session.repositories.length > 1;
  const choices = items.map(({ id, turn, repo, created_at: at }, index) => {
    const name = `checkpoint ${(data?.total ?? items.length) - index}${several ? ` of ${repo}` : ''}`;
    return { id, turn, label: `Since ${name} (${ago(new Date(at), now)})` };
  });
  // Nothing has changed since the newest one.
  const offered = choices.filter(({ id }, index) => index > 0 || id === since);
  const turns = [...Map.groupBy(offered, ({ turn }) => turn)];
  const choose = (next: string) =>
    void navigate({
      search: ({ since: _since, l: _lines, ...rest }) => ({ ...rest, ...(next === '' ? {} : { since: next }) }),
      hash: true,
      replace: true,
    });
  return (
    <select
      aria-label="Changes since"
      value={since ?? ''}
      onChange={({ target }) => choose(target.value)}
      className={`${fieldClass} max-w-72`}
    >
      <option value="">Since the start</option>
      {since !== undefined && !offered.some(({ id }) => id === since) && (
        <option value={since}>Since an earlier checkpoint</option>
      )}
      {turns.map(([turn, ofTurn]) => (
        <optgroup key={turn} label={turn === 0 ? 'Before the fork' : `Turn ${turn}`}>
          {ofTurn.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}
