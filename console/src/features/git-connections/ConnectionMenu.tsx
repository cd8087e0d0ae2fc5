import { useNavigate } from '@tanstack/react-router';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { Menu } from '../../ui/Menu.tsx';
import { useForcedDelete } from '../../ui/useForcedDelete.ts';
import { connectionsPath, type Connection } from './queries.ts';

/** Deletes a connection; if repositories use it, the person is told and asked again. */
export function ConnectionMenu({ org, connection: { id, name, host } }: { org: string; connection: Connection }) {
  const navigate = useNavigate();
  const confirm = useForcedDelete({
    title: `Delete ${name}?`,
    text: `Its credential for ${host} goes with it. Nothing changes at the host.`,
    action: 'Delete the connection',
    inUse: 'connection_in_use',
    call: (force) => {
      const params = { path: { id }, query: force ? { force: true } : {} };
      return unwrap(apiOf(org).DELETE(`${connectionsPath}/{id}`, { params }));
    },
    touches: [keys.lists(org, 'git-connections'), keys.all(org, 'repositories')],
    says: `${name} is deleted.`,
    done: () => navigate({ to: '/$org/git-connections', params: { org } }),
  });
  return (
    <Menu label={`More about ${name}`} items={[{ label: 'Delete …', danger: true, select: () => void confirm() }]} />
  );
}
