import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ApiError, apiOf, unwrap, type Tagged } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { useConfirm } from '../../ui/Confirm.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { backLink, Body, Facts, Page, Section } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Time } from '../../ui/Time.tsx';
import { Guarded, Needs } from '../shell/Needs.tsx';
import { NotHere } from '../shell/NotHere.tsx';
import { selfQuery } from '../shell/organizations.ts';
import { useCan } from '../shell/useCan.ts';
import { AccessForm } from './AccessForm.tsx';
import { lastAdminQuery, memberQuery, type Member } from './queries.ts';
import { permissionWord } from './words.ts';

/** A member, what they may do, and their removal. */
export function MemberScreen() {
  const { org, userId } = useParams({ from: '/$org/members/$userId' });
  const member = useQuery(memberQuery(org, userId));
  if (member.error instanceof ApiError && member.error.status === 404) return <NotHere />;
  return (
    <Guarded org={org} scope="org:read">
      <Page
        title={nameOf(member.data)}
        back={
          <Link to="/$org/members" params={{ org }} search={{}} className={backLink} aria-label="Members">
            ‹
          </Link>
        }
      >
        {member.isPending && <SkeletonRows rows={6} height={32} />}
        {member.isError && <Failed error={member.error} retry={() => void member.refetch()} />}
        {member.isSuccess && <Details org={org} member={member.data} />}
      </Page>
    </Guarded>
  );
}

function nameOf(member: Member | undefined): string {
  if (member === undefined) return 'Member';
  return member.name === '' ? member.email : member.name;
}

const sources = {
  invite: 'by an invitation',
  direct: 'by creating the organization, or through the operator',
  sso: 'by the groups of the identity provider, which set the permission again with each sign-in',
} as const;

function Details({ org, member }: { org: string; member: Tagged<Member> }) {
  const canChange = useCan(org, 'org:write');
  const { data: lastAdmin = '' } = useQuery(lastAdminQuery(org));
  const isLast = lastAdmin === member.user_id;
  const { email, permission, role, source, joined_at: joined, last_active_at: active } = member;
  return (
    <Body>
      <Facts
        facts={[
          ['E-mail', email],
          ['Joined', <Joined key="joined" at={joined} how={sources[source]} />],
          ['Last active', active === null ? 'never' : <Time key="active" at={active} />],
          ['Permission', canChange ? undefined : permissionWord(permission)],
          ['Role', canChange ? undefined : role],
          ['Id', <code key="id">{member.user_id}</code>],
        ]}
      />
      <Needs org={org} scope="org:write" what="Changing this" />
      {canChange && (
        <Section title="Permission and role">
          <AccessForm org={org} member={member} isLastAdmin={isLast} />
        </Section>
      )}
      {canChange && <Removal org={org} member={member} isLast={isLast} />}
    </Body>
  );
}

function Joined({ at, how }: { at: string; how: string }) {
  return (
    <>
      <Time at={at} /> {how}
    </>
  );
}

/** Loads the console anew; it is never done, since nothing of this page may be drawn again. */
function toStart(): Promise<never> {
  location.assign('/console/');
  return new Promise(() => {});
}

function Removal({ org, member, isLast }: { org: string; member: Member; isLast: boolean }) {
  const { data: self } = useQuery(selfQuery(org));
  const navigate = useNavigate();
  const confirm = useConfirm();
  const userId = member.user_id;
  const isSelf = self?.principal_id === userId;
  const remove = useAction({
    call: () =>
      unwrap(apiOf(org).DELETE('/v3/organizations/{orgId}/members/{userId}', { params: { path: { userId } } })),
    touches: [keys.lists(org, 'members')],
    says: `${nameOf(member)} is no longer a member.`,
    leaves: true,
    done: () => (isSelf ? toStart() : navigate({ to: '/$org/members', params: { org }, search: {} })),
  });
  const ask = async () => {
    const text =
      'Their keys and their MCP token of this organization end at once, and their own secrets and notes are deleted. Sessions that they started continue.';
    const title = isSelf ? 'Leave the organization?' : `Remove ${nameOf(member)}?`;
    if (await confirm({ title, text, action: isSelf ? 'Leave' : 'Remove', typed: member.email })) remove.mutate();
  };
  return (
    <Section title="Removal">
      {isLast ? (
        <p className="text-ink-2">
          The last administrator cannot be removed. Make someone else an administrator first.
        </p>
      ) : (
        <div>
          <Button look="danger" onClick={() => void ask()} disabled={remove.isPending}>
            {isSelf ? 'Leave the organization …' : 'Remove from the organization …'}
          </Button>
        </div>
      )}
    </Section>
  );
}
