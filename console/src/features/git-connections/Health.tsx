import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { Facts, Section } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { useCan } from '../shell/useCan.ts';
import { connectionsPath, reachableKey, type Connection } from './queries.ts';
import { kindWords, providerNames } from './words.ts';

/** What the host said when it was asked last; who may change the connection can ask it again. */
export function Health({ org, connection }: { org: string; connection: Connection }) {
  const {
    id,
    provider,
    kind,
    host,
    account,
    problem,
    missing_permissions: missing,
    last_verified_at: verified,
  } = connection;
  const canWrite = useCan(org, 'repos:write');
  const verify = useAction({
    call: () => unwrap(apiOf(org).POST(`${connectionsPath}/{id}/verify`, { params: { path: { id } }, body: {} })),
    touches: [keys.all(org, 'git-connections'), reachableKey(org, id)],
    says: ({ state }) => (state === 'connected' ? 'It works.' : 'The host was asked. See what is wrong.'),
    errors: 'here',
  });
  return (
    <Section
      title="Does it work?"
      actions={
        canWrite && (
          <Button onClick={() => verify.mutate()} disabled={verify.isPending}>
            {verify.isPending ? 'Asking the host …' : 'Verify'}
          </Button>
        )
      }
    >
      {problem !== '' && (
        <p className="max-w-[72ch] border-l-2 border-bad bg-bad-soft px-3 py-2 break-words">{problem}</p>
      )}
      {verify.isError && <Failed error={verify.error} retry={() => verify.mutate()} />}
      <Facts
        facts={[
          ['Kind', providerNames[provider]],
          ['Host', host === '' ? undefined : <code key="host">{host}</code>],
          ['Authorized', kindWords[kind]],
          ['Account', account === '' ? undefined : <code key="account">{account}</code>],
          [
            'Missing permissions',
            missing.length === 0 ? undefined : (
              <span key="missing" className="flex flex-wrap gap-1">
                {missing.map((permission) => (
                  <Chip key={permission} tone="wait">
                    {permission}
                  </Chip>
                ))}
              </span>
            ),
          ],
          ['Last verified', verified === null ? 'never' : <Time key="verified" at={verified} />],
        ]}
      />
    </Section>
  );
}
