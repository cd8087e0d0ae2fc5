import { useInfiniteQuery } from '@tanstack/react-query';
import { api, apiOf, unwrap } from '../../lib/api.ts';
import { signInPath } from '../../lib/errors.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { useConfirm } from '../../ui/Confirm.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { Time } from '../../ui/Time.tsx';
import { browserOf } from './browser.ts';
import { signInsPath, signInsQuery, type SignIn } from './queries.ts';

/** The browsers in which the person is signed in. */
export function SignIns({ org }: { org: string }) {
  const query = useInfiniteQuery(signInsQuery(org));
  const confirm = useConfirm();
  const end = useAction({
    call: ({ id }: SignIn) => unwrap(apiOf(org).DELETE(`${signInsPath}/{id}`, { params: { path: { id } } })),
    touches: [keys.lists(org, 'sign-ins')],
    says: (_none, { user_agent: agent }) => `${browserOf(agent)} is signed out.`,
  });
  const endAll = useAction({
    call: () => unwrap(api.POST('/v3/auth/sign-out-everywhere', { body: {} })),
    done: () => location.assign(signInPath),
  });
  const askAll = async () => {
    const text = 'All browsers are signed out, this one too. Your keys and your MCP token keep working.';
    if (await confirm({ title: 'Sign out everywhere?', text, action: 'Sign out everywhere' })) endAll.mutate();
  };
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2 px-4 py-3 sm:px-6">
        <p className="text-ink-2">Each is a browser that is signed in as you. End what you do not know.</p>
        <Button onClick={() => void askAll()}>Sign out everywhere …</Button>
      </div>
      <DataTable
        label="Sign-ins"
        query={query}
        columns={[
          ...columns,
          {
            name: 'End',
            width: '72px',
            align: 'end',
            cell: (signIn) =>
              !signIn.current && (
                <Button
                  look="bare"
                  aria-label={`End ${browserOf(signIn.user_agent)}`}
                  onClick={() => end.mutate(signIn)}
                >
                  End
                </Button>
              ),
          },
        ]}
        keyOf={({ id }) => id}
        empty={<Empty>You are signed in nowhere.</Empty>}
      />
    </>
  );
}

const methods = { password: 'Password', sso: 'Single sign-on', key: 'Administrator key' } as const;

const columns: readonly Column<SignIn>[] = [
  {
    name: 'Browser',
    cell: ({ user_agent: agent, current }) => (
      <span title={agent}>
        {browserOf(agent)} {current && <Chip tone="ok">This one</Chip>}
      </span>
    ),
  },
  { name: 'From', width: '128px', wide: true, cell: ({ ip }) => <code title={ip}>{ip}</code> },
  { name: 'By', width: '128px', wide: true, cell: ({ method }) => methods[method] },
  { name: 'Begun', width: '112px', wide: true, align: 'end', cell: ({ created_at: at }) => <Time at={at} /> },
  { name: 'Last used', width: '112px', align: 'end', cell: ({ last_used_at: at }) => <Time at={at} /> },
];
