import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { useConfirm } from '../../ui/Confirm.tsx';
import { Snippet } from '../../ui/Copy.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { Time } from '../../ui/Time.tsx';
import { useCan } from '../shell/useCan.ts';
import { invitesQuery, type Invite } from './queries.ts';
import { permissionWord } from './words.ts';

const path = '/v3/organizations/{orgId}/members/invites/{id}';

/** Who was invited, and what became of it. */
export function Invites({ org }: { org: string }) {
  const query = useInfiniteQuery(invitesQuery(org));
  const canChange = useCan(org, 'org:write');
  const { resend, revoke, link, forget } = useInviteActions(org);
  const invite = (
    <Link to="/$org/members/invite" params={{ org }} className={buttonClass()}>
      Invite someone
    </Link>
  );
  return (
    <>
      {link !== undefined && (
        <div className="flex max-w-[960px] flex-col items-start gap-2 border-b border-line px-4 py-3 sm:px-6">
          <Snippet label={`The new link of ${link.email}. Pass it on; it is shown only now.`} text={link.url} />
          <Button onClick={forget}>Done</Button>
        </div>
      )}
      <DataTable
        label="Invitations"
        query={query}
        columns={columnsOf(canChange, resend, revoke)}
        keyOf={({ id }) => id}
        empty={<Empty action={canChange && invite}>Nobody was invited yet.</Empty>}
      />
    </>
  );
}

function useInviteActions(org: string) {
  const [link, setLink] = useState<{ email: string; url: string }>();
  const confirm = useConfirm();
  const touches = [keys.lists(org, 'members')];
  const resend = useAction({
    call: ({ id }: Invite) => unwrap(apiOf(org).POST(`${path}/resend`, { params: { path: { id } }, body: {} })),
    touches,
    says: ({ email, accept_url: url }) =>
      url === '' ? `A new mail is on its way to ${email}.` : 'The old link ended.',
    done: ({ email, accept_url: url }) => setLink(url === '' ? undefined : { email, url }),
  });
  const revoke = useAction({
    call: ({ id }: Invite) => unwrap(apiOf(org).DELETE(path, { params: { path: { id } } })),
    touches,
    says: (_none, { email }) => `The invitation of ${email} was revoked.`,
  });
  return {
    link,
    forget: () => setLink(undefined),
    resend: (invite: Invite) => resend.mutate(invite),
    revoke: async (invite: Invite) => {
      const text = 'Its link stops working at once. You can invite the address again.';
      if (await confirm({ title: `Revoke the invitation of ${invite.email}?`, text, action: 'Revoke' }))
        revoke.mutate(invite);
    },
  };
}

const tones = { pending: 'wait', accepted: 'ok', expired: 'plain', revoked: 'plain' } as const;
const words = { pending: 'Pending', accepted: 'Accepted', expired: 'Expired', revoked: 'Revoked' } as const;

function columnsOf(
  canChange: boolean,
  resend: (invite: Invite) => void,
  revoke: (invite: Invite) => Promise<void>,
): Column<Invite>[] {
  const columns: Column<Invite>[] = [
    { name: 'Address', cell: ({ email }) => <span title={email}>{email}</span> },
    { name: 'Permission', width: '112px', wide: true, cell: ({ permission }) => permissionWord(permission) },
    { name: 'State', width: '88px', cell: ({ state }) => <Chip tone={tones[state]}>{words[state]}</Chip> },
    { name: 'Invited', width: '112px', wide: true, align: 'end', cell: ({ created_at: at }) => <Time at={at} /> },
    {
      name: 'Expires',
      width: '112px',
      wide: true,
      align: 'end',
      cell: ({ expires_at: at, state }) => state === 'pending' && <Time at={at} />,
    },
  ];
  if (!canChange) return columns;
  const menu = (invite: Invite) => (
    <Menu
      label={`Actions on the invitation of ${invite.email}`}
      items={[
        ['pending', 'expired'].includes(invite.state) && { label: 'Send again', select: () => resend(invite) },
        ['pending', 'expired'].includes(invite.state) && {
          label: 'Revoke …',
          danger: true,
          select: () => void revoke(invite),
        },
      ]}
    />
  );
  return [...columns, { name: 'Actions', width: '44px', align: 'end', cell: menu }];
}
