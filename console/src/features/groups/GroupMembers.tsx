import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { useSettled } from '../../lib/useSettled.ts';
import { Button } from '../../ui/Button.tsx';
import { Field, fieldClass } from '../../ui/Field.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { Section } from '../../ui/Page.tsx';
import { membersQuery, type Member } from '../members/queries.ts';
import { useCan } from '../shell/useCan.ts';
import { groupMembersQuery } from './queries.ts';

const path = '/v3/organizations/{orgId}/groups/{id}/members';

/** The members of a group; who may, adds and removes them. */
export function GroupMembers({ org, id }: { org: string; id: string }) {
  const query = useInfiniteQuery(groupMembersQuery(org, id));
  const canChange = useCan(org, 'org:write');
  const touches = [keys.one(org, 'groups', id), keys.lists(org, 'groups')];
  const target = { params: { path: { id } } };
  const remove = useAction({
    call: (member: Member) => unwrap(apiOf(org).DELETE(path, { ...target, body: { user_ids: [member.user_id] } })),
    touches,
    says: (_group, { email }) => `${email} is no longer in the group.`,
  });
  const add = useAction({
    call: (member: Member) => unwrap(apiOf(org).POST(path, { ...target, body: { user_ids: [member.user_id] } })),
    touches,
    says: (_group, { email }) => `${email} is in the group.`,
  });
  if (query.isPending) return null;
  if (query.data === undefined) return <Failed error={query.error} retry={() => void query.refetch()} />;
  const members = query.data.pages.flatMap(({ items }) => items);
  return (
    <Section title="Members">
      {members.length === 0 && <p className="text-ink-2">Nobody is in this group, so its limits hold for nobody.</p>}
      <People
        org={org}
        label="Members of the group"
        people={members}
        action={canChange ? { word: 'Remove', icon: X, run: (member) => remove.mutate(member) } : undefined}
      />
      {query.hasNextPage && (
        <div>
          <Button onClick={() => void query.fetchNextPage()}>Show more</Button>
        </div>
      )}
      {canChange && <Finder org={org} add={(member) => add.mutate(member)} present={members} />}
    </Section>
  );
}

/** Finds members of the organization to add. */
function Finder({ org, add, present }: { org: string; add: (member: Member) => void; present: readonly Member[] }) {
  const [text, setText] = useState('');
  const settled = useSettled(text.trim(), 200);
  const found = useInfiniteQuery({ ...membersQuery(org, { q: settled }), enabled: settled !== '' });
  const inGroup = new Set(present.map(({ user_id: userId }) => userId));
  const others = found.data?.pages[0]?.items.filter(({ user_id: userId }) => !inGroup.has(userId)).slice(0, 8) ?? [];
  return (
    <>
      <Field label="Add someone" hint="By name or address">
        {(attributes) => (
          <input
            {...attributes}
            type="search"
            value={text}
            maxLength={200}
            autoComplete="off"
            onChange={({ target }) => setText(target.value)}
            className={`${fieldClass} max-w-96`}
          />
        )}
      </Field>
      {settled !== '' && found.isSuccess && others.length === 0 && (
        <p role="status" className="text-ink-2">
          No other member has this name or address.
        </p>
      )}
      {settled !== '' && (
        <People org={org} label="Found" people={others} action={{ word: 'Add', icon: Plus, run: add }} />
      )}
    </>
  );
}

interface PeopleProps {
  org: string;
  label: string;
  people: readonly Member[];
  action: { word: string; icon: typeof X; run: (member: Member) => void } | undefined;
}

function People({ org, label, people, action }: PeopleProps) {
  if (people.length === 0) return null;
  return (
    <ul aria-label={label}>
      {people.map((member) => (
        <li key={member.user_id} className="flex min-h-10 items-center gap-2 border-b border-line">
          <span className="min-w-0 flex-1 truncate">
            <Link to="/$org/members/$userId" params={{ org, userId: member.user_id }} className="hover:underline">
              {member.name === '' ? member.email : member.name}
            </Link>{' '}
            {member.name !== '' && <span className="text-ink-3">{member.email}</span>}
          </span>
          {action !== undefined && (
            <Button look="bare" aria-label={`${action.word} ${member.email}`} onClick={() => action.run(member)}>
              <action.icon size={16} strokeWidth={1.5} aria-hidden />
              {action.word}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
