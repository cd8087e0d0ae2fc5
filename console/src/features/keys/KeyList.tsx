import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Chip } from '../../ui/Chip.tsx';
import { useConfirm } from '../../ui/Confirm.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { Time } from '../../ui/Time.tsx';
import { selfQuery } from '../shell/organizations.ts';
import { keysQuery, type Key, type KeyOwner } from './owner.ts';
import { RotateKey } from './RotateKey.tsx';
import { keyState } from './scopes.ts';

/** The keys of an owner, newest first, with what may be done with each. `create` leads to a new one. */
export function KeyList({ owner, create }: { owner: KeyOwner; create: ReactNode }) {
  const query = useInfiniteQuery(keysQuery(owner));
  const { data: self } = useQuery(selfQuery(owner.org));
  const [rotating, setRotating] = useState<Key>();
  const revoke = useRevocation(owner);
  const own = self?.scopes ?? [];
  const isAllowed = owner.scope === undefined || own.includes(owner.scope);
  const { rotate } = owner;
  const menu = (key: Key) => (
    <Menu
      label={`Actions on ${key.name}`}
      items={
        keyState(key, new Date()) === 'active'
          ? [
              // A key with more scopes than one's own cannot be rotated.
              rotate !== undefined &&
                key.scopes.every((scope) => own.includes(scope)) && {
                  label: 'Rotate …',
                  select: () => setRotating(key),
                },
              { label: 'Revoke …', danger: true, select: () => void revoke(key) },
            ]
          : []
      }
    />
  );
  return (
    <>
      {rotating !== undefined && rotate !== undefined && (
        <div className="px-4 py-3 sm:px-6">
          <RotateKey
            key={rotating.id}
            org={owner.org}
            name={rotating.name}
            keyId={rotating.id}
            rotate={rotate}
            close={() => setRotating(undefined)}
          />
        </div>
      )}
      <DataTable
        label="Keys"
        query={query}
        columns={isAllowed ? [...columns, { name: 'Actions', width: '56px', align: 'end', cell: menu }] : columns}
        keyOf={({ id }) => id}
        empty={<Empty action={create}>There are no keys yet. A key lets a program call the API.</Empty>}
      />
    </>
  );
}

function useRevocation(owner: KeyOwner) {
  const confirm = useConfirm();
  const action = useAction({
    call: ({ id }: Key) => owner.revoke(id),
    touches: [keys.lists(owner.org, 'keys')],
    says: (_none, { name }) => `${name} no longer works.`,
  });
  return async (key: Key) => {
    const text = 'Whatever uses it is refused at once. Keys, MCP tokens and invitations that it made end with it.';
    const title = `Revoke ${key.name} (…${key.last4})?`;
    if (await confirm({ title, text, action: 'Revoke' })) action.mutate(key);
  };
}

const tones = { active: 'ok', expired: 'plain', revoked: 'plain' } as const;
const words = { active: 'Active', expired: 'Expired', revoked: 'Revoked' } as const;

const columns: readonly Column<Key>[] = [
  {
    name: 'Name',
    cell: ({ name, prefix, last4 }) => (
      <>
        <span className="font-medium">{name}</span>{' '}
        <code className="text-ink-3">
          {prefix}…{last4}
        </code>
      </>
    ),
  },
  {
    name: 'May do',
    wide: true,
    cell: ({ scopes }) => <span title={scopes.join(', ')}>{scopes.join(', ')}</span>,
  },
  {
    name: 'Last used',
    width: '104px',
    wide: true,
    align: 'end',
    cell: ({ last_used_at: at }) => (at === null ? 'never' : <Time at={at} />),
  },
  {
    name: 'Expires',
    width: '104px',
    wide: true,
    align: 'end',
    cell: ({ expires_at: at }) => (at === null ? 'never' : <Time at={at} />),
  },
  {
    name: 'State',
    width: '72px',
    cell: (key) => {
      const state = keyState(key, new Date());
      return <Chip tone={tones[state]}>{words[state]}</Chip>;
    },
  },
];
