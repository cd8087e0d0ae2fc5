import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Empty, Failed } from '../../ui/Notice.tsx';
import { Section } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Needs } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { ApiError } from '../../lib/api.ts';
import { effectiveQuery, guardedQuery } from './queries.ts';
import { RuleForm } from './RuleForm.tsx';
import { ruleGroups, ruleLabel, ruleValue, sourceWord, type Effective } from './rules.ts';

/** The rules that hold, and where each is set; a form for who may change them. */
export function Rules({ org, repo }: { org: string; repo: string | undefined }) {
  const effective = useQuery(effectiveQuery(org, repo));
  const organization = useQuery(effectiveQuery(org, undefined));
  const canWrite = useCan(org, 'guardrails:write');
  const error = effective.error ?? organization.error;
  if (error instanceof ApiError && error.status === 404)
    return <Empty>There is no repository of this name in the organization.</Empty>;
  if (error !== null && (effective.data === undefined || organization.data === undefined))
    return <Failed error={error} retry={() => void Promise.all([effective.refetch(), organization.refetch()])} />;
  if (effective.data === undefined || organization.data === undefined) return <SkeletonRows rows={13} height={44} />;
  return (
    <>
      <Needs org={org} scope="guardrails:write" what="Changing a rule" />
      {canWrite ? (
        <RuleForm
          key={effective.data.repository_id}
          org={org}
          rules={effective.data}
          organization={organization.data}
        />
      ) : (
        <RuleTable rules={effective.data} />
      )}
      {repo === undefined && <Guarded org={org} />}
    </>
  );
}

function RuleTable({ rules }: { rules: Effective }) {
  return ruleGroups.map(({ title, rules: infos }) => (
    <Section key={title} title={title}>
      <dl className="flex flex-col">
        {infos.map((info) => (
          <div
            key={info.rule}
            className="grid gap-x-4 border-b border-line py-2 sm:grid-cols-3 lg:grid-cols-[240px_minmax(0,1fr)_200px]"
          >
            <dt>{info.label}</dt>
            <dd className="mono min-w-0 break-words">{ruleValue(info, rules)}</dd>
            <dd className="text-ink-3">{sourceWord(rules.sources[info.rule])}</dd>
          </div>
        ))}
      </dl>
    </Section>
  ));
}

/** The repositories with rules of their own. */
function Guarded({ org }: { org: string }) {
  const { data } = useQuery(guardedQuery(org));
  const rows = data?.items ?? [];
  if (rows.length === 0) return null;
  return (
    <Section title="Repositories with rules of their own">
      <ul>
        {rows.map(({ repository_id: id, repo, set_keys: set }) => (
          <li key={id} className="flex min-h-8 flex-wrap gap-x-4 border-b border-line py-1">
            <Link
              to="/$org/guardrails"
              params={{ org }}
              search={{ repo }}
              className="inline-flex items-center font-medium hover:underline pointer-coarse:min-h-11"
            >
              {repo}
            </Link>
            <span className="min-w-0 flex-1 truncate text-ink-3">{set.map(ruleLabel).join(', ')}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
