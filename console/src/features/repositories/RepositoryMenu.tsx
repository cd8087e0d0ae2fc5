import { useNavigate } from '@tanstack/react-router';
import { ApiError, apiOf, unwrap } from '../../lib/api.ts';
import { failureOf } from '../../lib/errors.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { useConfirm } from '../../ui/Confirm.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { toast } from '../../ui/toasts.ts';
import { repositoriesPath, type Repository } from './queries.ts';

const lost =
  'Its change requests, secrets and MCP servers go with it. It can be restored for 30 days, then it is gone.';

/** Deletes a repository; if it is in use, the person is told and asked again. */
export function RepositoryMenu({ org, repository: { id, repo } }: { org: string; repository: Repository }) {
  const ask = useConfirm();
  const navigate = useNavigate();
  const remove = useAction({
    call: (force: boolean) => {
      const params = { path: { id }, query: force ? { force: true } : {} };
      return unwrap(apiOf(org).DELETE(`${repositoriesPath}/{id}`, { params }));
    },
    touches: [keys.lists(org, 'repositories')],
    says: `${repo} is deleted. It can be restored for 30 days.`,
    done: () => navigate({ to: '/$org/repositories', params: { org } }),
    errors: 'here',
  });
  const confirm = async () => {
    if (!(await ask({ title: `Delete ${repo}?`, text: lost, action: 'Delete the repository', typed: repo }))) return;
    try {
      await remove.mutateAsync(false);
    } catch (error) {
      const { message } = failureOf(error);
      const isUsed = error instanceof ApiError && error.code === 'repository_in_use';
      if (!isUsed) toast(message, 'bad');
      else if (await ask({ title: `Delete ${repo} anyway?`, text: message, action: 'Delete it anyway' }))
        remove.mutate(true, { onError: (failed) => toast(failureOf(failed).message, 'bad') });
    }
  };
  return (
    <Menu label={`More about ${repo}`} items={[{ label: 'Delete …', danger: true, select: () => void confirm() }]} />
  );
}
