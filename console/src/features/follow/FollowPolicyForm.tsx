import { useQuery } from '@tanstack/react-query';
import { Form, LongTextField, NumberField, SelectField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap, type Tagged } from '../../lib/api.ts';
import { linesOf } from '../../lib/lines.ts';
import { Failed } from '../../ui/Notice.tsx';
import { Body, Facts } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Needs } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { followPolicyPath, followPolicyQuery, type FollowPolicy } from './queries.ts';

interface Props {
  org: string;
  repository: { id: string; provider: string };
}

/** What sessions do about change requests of a repository until these merge, and how much of it. */
export function FollowPolicyForm({ org, repository: { id, provider } }: Props) {
  const query = useQuery(followPolicyQuery(org, id));
  const canWrite = useCan(org, 'repos:write');
  if (query.isPending) return <SkeletonRows rows={6} height={40} />;
  if (query.isError) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return (
    <Body>
      {canWrite ? (
        <Edit org={org} policy={query.data} isBuiltIn={provider === 'local'} />
      ) : (
        <PolicyFacts policy={query.data} />
      )}
      <Needs org={org} scope="repos:write" what="Changing it" />
    </Body>
  );
}

const modes = [
  ['off', 'Nothing'],
  ['notify', 'People are notified'],
  ['fix', 'Its session works on checks, reviews and conflicts'],
] as const;
const updates = [
  ['conflict', 'When it conflicts'],
  ['behind', 'Also when the host asks for it'],
  ['never', 'Never'],
] as const;
const threads = [
  ['bots', 'Those of programs'],
  ['all', 'All'],
  ['none', 'None'],
] as const;
const mentions = [
  ['off', 'Nothing'],
  ['start', 'Starts a session, for people with write access'],
] as const;
const merges = [
  ['off', 'Never'],
  ['provider', 'By the rules of the git host'],
] as const;

function wordOf(options: readonly (readonly [string, string])[], value: string): string {
  return options.find(([one]) => one === value)?.[1] ?? value;
}

function PolicyFacts({ policy }: { policy: FollowPolicy }) {
  const { mode, ci_rounds: checks, review_rounds: reviews, conflict_rounds: conflicts, pushes, hours } = policy;
  const { trusted_bots: bots } = policy;
  return (
    <Facts
      facts={[
        ['After a session opened one', wordOf(modes, mode)],
        ['Most rounds', `${checks} for checks, ${reviews} for reviews, ${conflicts} for conflicts`],
        ['Most pushes', String(pushes)],
        ['Longest', `${hours} h`],
        ['A mention', policy.mentions === 'off' ? 'starts nothing' : 'starts a session'],
        ['Merge the base branch in', wordOf(updates, policy.update)],
        ['Resolve answered threads', wordOf(threads, policy.resolve_threads)],
        ['Merge by itself', wordOf(merges, policy.auto_merge)],
        ['Trusted programs', bots.length === 0 ? 'none' : <code key="bots">{bots.join(', ')}</code>],
      ]}
    />
  );
}

type Values = Omit<FollowPolicy, 'repository_id' | 'updated_at' | 'trusted_bots'> & { bots: string };

function Edit({ org, policy, isBuiltIn }: { org: string; policy: Tagged<FollowPolicy>; isBuiltIn: boolean }) {
  const { repository_id: id, updated_at: _at, trusted_bots: bots, etag, ...fields } = policy;
  const of = useApiForm({
    values: { ...fields, bots: bots.join('\n') },
    etag,
    fieldOf: (path) => (path.startsWith('trusted_bots') ? 'bots' : path),
    call: ({ bots: lines, ...body }: Values, header) =>
      unwrap(
        apiOf(org).PUT(followPolicyPath, {
          params: { path: { id }, header },
          body: {
            ...body,
            trusted_bots: linesOf(lines),
          },
        }),
      ),
    touches: [followPolicyQuery(org, id).queryKey],
    says: 'Saved. It holds for open change requests too.',
  });
  return (
    <Form of={of} action="Save">
      <SelectField name="mode" label="What happens after a session opened a change request?" options={modes} />
      <p className="text-ink-2">At most so much; then a person is asked.</p>
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        <NumberField name="ci_rounds" label="Rounds for checks" min={0} max={20} step={1} />
        <NumberField name="review_rounds" label="Rounds for reviews" min={0} max={50} step={1} />
        <NumberField name="conflict_rounds" label="Rounds for conflicts" min={0} max={20} step={1} />
        <NumberField name="pushes" label="Pushes" min={0} max={100} step={1} />
        <NumberField name="hours" label="Hours" min={1} max={2_160} step={1} />
      </div>
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        <SelectField name="update" label="Merge the base branch in" options={updates} />
        <SelectField name="resolve_threads" label="Resolve answered threads" options={threads} />
        <SelectField name="auto_merge" label="Merge by itself" options={merges} />
      </div>
      <LongTextField
        name="bots"
        label="Trusted programs"
        hint="Accounts whose reviews and comments the session answers, one a line."
        rows={2}
        mono
      />
      {isBuiltIn ? undefined : (
        <SelectField
          name="mentions"
          label="A line that begins with @guildhall, in an issue or comment"
          options={mentions}
        />
      )}
    </Form>
  );
}
