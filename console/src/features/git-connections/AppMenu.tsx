import { useNavigate } from '@tanstack/react-router';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { useConfirm } from '../../ui/Confirm.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { connectionsPath, type GitApp } from './queries.ts';

/** Deletes an App here. The App at GitHub is its owner's to delete. */
export function AppMenu({ org, app: { id, name, host, html_url: page } }: { org: string; app: GitApp }) {
  const navigate = useNavigate();
  const ask = useConfirm();
  const remove = useAction({
    call: () => unwrap(apiOf(org).DELETE(`${connectionsPath}/apps/{id}`, { params: { path: { id } } })),
    touches: [keys.lists(org, 'git-apps')],
    says: `${name} is deleted here. It remains at ${host} until you delete it there: ${page}`,
    leaves: true,
    done: () => navigate({ to: '/$org/git-connections/app', params: { org } }),
  });
  const confirm = async () => {
    const text = (
      <>
        Its private key and the secret of its webhook are deleted here. The App remains at {host}. Delete it there too:{' '}
        <a href={page} target="_blank" rel="noreferrer" className="break-all underline">
          {page}
        </a>
      </>
    );
    if (await ask({ title: `Delete ${name} here?`, text, action: 'Delete the App' })) remove.mutate();
  };
  return (
    <Menu label={`More about ${name}`} items={[{ label: 'Delete …', danger: true, select: () => void confirm() }]} />
  );
}
