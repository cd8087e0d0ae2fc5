import { useNavigate } from '@tanstack/react-router';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { Menu } from '../../ui/Menu.tsx';
import { useForcedDelete } from '../../ui/useForcedDelete.ts';
import { repositoriesPath, type Repository } from './queries.ts';

const lost =
  'Its change requests, secrets and MCP servers go with it. It can be restored for 30 days, then it is gone.';

/** Deletes a repository; if it is in use, the person is told and asked again. */
export function RepositoryMenu({ org, repository: { id, repo } }: { org: string; repository: Repository }) {
  const navigate = useNavigate();
  const confirm = useForcedDelete({
    title: `Delete ${repo}?`,
    text: lost,
    action: 'Delete the repository',
    typed: repo,
    inUse: 'repository_in_use',
    call: (force) => {
      const params = { path: { id }, query: force ? { force: true } : {} };
      return unwrap(apiOf(org).DELETE(`${repositoriesPath}/{id}`, { params }));
    },
    touches: [keys.lists(org, 'repositories')],
    says: `${repo} is deleted. It can be restored for 30 days.`,
    done: () => navigate({ to: '/$org/repositories', params: { org } }),
  });
  return (
    <Menu label={`More about ${repo}`} items={[{ label: 'Delete …', danger: true, select: () => void confirm() }]} />
  );
}
