import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CheckField, Form, LongTextField, NumberField, SelectField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap, type Tagged } from '../../lib/api.ts';
import { count } from '../../lib/format.ts';
import { keys } from '../../lib/keys.ts';
import { linesOf } from '../../lib/lines.ts';
import { Failed } from '../../ui/Notice.tsx';
import { Body, Facts } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { agentsListQuery } from '../agents/queries.ts';
import { Needs } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { policyPath, policyQuery, type ReviewPolicy } from './queries.ts';
import { percent, severityOptions, severityWords } from './words.ts';

interface Props {
  org: string;
  repositoryId: string;
}

/** When change requests of a repository are reviewed, by whom, and what is posted. */
export function PolicyForm({ org, repositoryId }: Props) {
  const query = useQuery(policyQuery(org, repositoryId));
  const canWrite = useCan(org, 'reviews:write');
  if (query.isPending) return <SkeletonRows rows={6} height={40} />;
  if (query.isError) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return (
    <Body>
      {canWrite ? <Edit org={org} policy={query.data} /> : <PolicyFacts policy={query.data} />}
      <Needs org={org} scope="reviews:write" what="Changing it" />
    </Body>
  );
}

const modes = [
  ['off', 'Only when somebody asks'],
  ['once', 'Once, when a change request opens'],
  ['every_push', 'When it opens, and after each push'],
] as const;
const modeWords = new Map<string, string>(modes);

function PolicyFacts({ policy }: { policy: ReviewPolicy }) {
  const { request_changes_from: least, muted_categories: muted } = policy;
  return (
    <Facts
      facts={[
        ['When', modeWords.get(policy.mode)],
        ['Drafts too', policy.drafts ? 'yes' : 'no'],
        ['Changes of sessions too', policy.own_changes ? 'yes' : 'no'],
        ['Longest change', `${count(policy.max_changed_lines)} lines`],
        ['Posts findings', policy.post ? `at most ${policy.max_comments}` : 'no'],
        ['From severity', severityWords[policy.min_severity]],
        ['From confidence', percent(policy.min_confidence)],
        ['Muted categories', muted.length === 0 ? 'none' : <code key="muted">{muted.join(', ')}</code>],
        ['Requests changes from', least === '' ? 'never' : severityWords[least]],
        ['Instructions', policy.instructions === '' ? 'none' : policy.instructions],
      ]}
    />
  );
}

type Omitted = 'repository_id' | 'updated_at' | 'min_confidence' | 'muted_categories';
type Values = Omit<ReviewPolicy, Omitted> & { min_percent: number; muted: string };

function Edit({ org, policy }: { org: string; policy: Tagged<ReviewPolicy> }) {
  const { repository_id: repoId, updated_at: at, min_confidence: confidence, etag, ...others } = policy;
  const { muted_categories: muted, ...fields } = others;
  const of = useApiForm({
    values: { ...fields, min_percent: Math.round(confidence * 100), muted: muted.join('\n') },
    etag,
    fieldOf: (path) =>
      path === 'min_confidence' ? 'min_percent' : path.startsWith('muted_categories') ? 'muted' : path,
    call: ({ min_percent: least, muted: lines, ...body }: Values, header) =>
      unwrap(
        apiOf(org).PUT(policyPath, {
          params: { path: { repoId }, header },
          body: { ...body, min_confidence: least / 100, muted_categories: linesOf(lines) },
        }),
      ),
    touches: [keys.lists(org, 'reviews')],
    says: 'Saved. Reviews that start from now on follow it.',
  });
  return (
    <Form of={of} action="Save" needsChange={at !== null}>
      {at === null && <Inherited org={org} />}
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField name="mode" label="When is a change request reviewed?" options={modes} />
        <AgentField org={org} />
      </div>
      <CheckField name="drafts" label="Review drafts too" />
      <CheckField name="own_changes" label="Review what sessions proposed, too" />
      <CheckField name="post" label="Post findings on the change request" hint="Otherwise they are only stored here." />
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        <NumberField
          name="max_comments"
          label="Comments in one review"
          hint="At most 50; the summary lists others."
          min={0}
          max={50}
          step={1}
        />
        <SelectField name="min_severity" label="Comment from severity" options={severityOptions} />
        <NumberField name="min_percent" label="Comment from confidence" hint="In percent." min={0} max={100} step={1} />
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          name="request_changes_from"
          label="Request changes from severity"
          hint="Of an open finding."
          options={[['', 'Never'], ...severityOptions]}
        />
        <NumberField
          name="max_changed_lines"
          label="Longest change"
          hint="In lines. The policy starts no review of a longer one."
          min={1}
          max={100_000}
          step={1}
        />
      </div>
      <LongTextField
        name="muted"
        label="Muted categories"
        hint="Their findings get no comment of their own. One a line, as findings name theirs."
        rows={2}
        mono
      />
      <LongTextField
        name="instructions"
        label="Instructions"
        hint="For every reviewer, after REVIEW.md of the base branch."
        rows={3}
        maxLength={20_000}
      />
    </Form>
  );
}

/** What holds while a repository has no policy of its own. */
function Inherited({ org }: { org: string }) {
  return (
    <p className="max-w-[72ch] text-ink-2">
      These are the{' '}
      <Link to="/$org/settings/$namespace" params={{ org, namespace: 'reviews' }} className="underline">
        settings of the organization
      </Link>
      . Saving makes them the repository’s own.
    </p>
  );
}

function AgentField({ org }: { org: string }) {
  const { data } = useInfiniteQuery({ ...agentsListQuery(org), enabled: useCan(org, 'org:read') });
  const agents = (data?.pages ?? []).flatMap(({ items }) => items);
  return (
    <SelectField
      name="agent_id"
      label="Who reviews?"
      options={[
        ['', 'Linters of the repository, without a model'],
        ...agents.map(({ id, name }) => [id, name] as const),
      ]}
    />
  );
}
