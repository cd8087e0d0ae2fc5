import { Snippet } from '../../ui/Copy.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { Body, Facts } from '../../ui/Page.tsx';
import { providerNames } from '../git-connections/words.ts';
import { useCan } from '../shell/useCan.ts';
import { cloneCommand, pushCommands } from './push.ts';
import type { Repository } from './queries.ts';

/** The commands that clone a repository and push to it, ready to paste. */
export function PushPanel({ org, repository }: { org: string; repository: Repository }) {
  const canWrite = useCan(org, 'repos:write');
  const { provider, clone_url: url } = repository;
  if (url === '') return <Empty>It has no git connection. Give it one in the settings.</Empty>;
  if (provider !== 'local')
    return (
      <Body>
        <Snippet label="Clone it" text={cloneCommand(repository)} />
        <p className="max-w-[72ch] text-ink-2">
          It is at {providerNames[provider]}: clone it and push to it with your own account there.
        </p>
      </Body>
    );
  return (
    <Body>
      <Snippet label="Clone it" text={cloneCommand(repository)} />
      {canWrite && <Snippet label="Push what you have" text={pushCommands(repository)} />}
      <p className="max-w-[72ch] text-ink-2">
        Git asks for a user name and a password. The user name can be anything; the password is an API key of yours with
        the scope <code>{canWrite ? 'repos:write' : 'repos:read'}</code>.
      </p>
      <Facts
        facts={[
          ['URL', <code key="url">{url}</code>],
          ['Default branch', <code key="branch">{repository.default_branch}</code>],
        ]}
      />
    </Body>
  );
}
