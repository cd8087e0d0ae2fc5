import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Chip } from '../../ui/Chip.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { Facts, Section } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Time } from '../../ui/Time.tsx';
import { Markdown } from '../sessions/timeline/Markdown.tsx';
import { useCan } from '../shell/useCan.ts';
import { AtLine } from './AtLine.tsx';
import { FindingBox } from './FindingBox.tsx';
import { findingsQuery, type Review } from './queries.ts';
import { ReviewActions } from './ReviewActions.tsx';
import { findingWords, postingWord, stateOf } from './words.ts';

/** All of a review: how it stands, its summary, and its findings. */
export function ReviewBody({ org, review }: { org: string; review: Review }) {
  const { status, summary, problem, posting_problem: unposted, instructions } = review;
  const { word, tone } = stateOf(review);
  return (
    <>
      <Section title="Verdict" actions={<ReviewActions org={org} review={review} />}>
        <p className="flex flex-wrap items-center gap-2">
          <Chip tone={tone}>{word}</Chip>
          {status === 'running' && <span className="text-ink-2">What it finds stands here once it has ended.</span>}
        </p>
        {problem !== '' && (
          <p className="max-w-[72ch] border-l-2 border-bad bg-bad-soft px-3 py-2 break-words">{problem}</p>
        )}
        {unposted !== '' && (
          <p className="max-w-[72ch] border-l-2 border-wait bg-wait-soft px-3 py-2 break-words">{unposted}</p>
        )}
        {summary !== '' && <Markdown text={summary} />}
        {instructions !== '' && (
          <details>
            <summary className="min-h-6 cursor-pointer text-ink-2 pointer-coarse:min-h-11">What it was told</summary>
            <Markdown text={instructions} />
          </details>
        )}
        <ReviewFacts org={org} review={review} />
      </Section>
      {status === 'completed' && <Findings org={org} review={review} />}
    </>
  );
}

function ReviewFacts({ org, review }: { org: string; review: Review }) {
  const { head_sha: head, trigger, created_by: by, created_at: at, completed_at: ended, session_id: session } = review;
  const { proof_session_id: proof } = review;
  const posted = postingWord(review);
  const canRead = useCan(org, 'sessions:read');
  return (
    <Facts
      facts={[
        ['Commit', <code key="head">{head.slice(0, 12)}</code>],
        ['Started', <Started key="at" by={trigger === 'policy' ? 'the policy' : by.name || 'somebody'} at={at} />],
        ['Ended', ended === null ? undefined : <Time key="ended" at={ended} />],
        ['Post', posted === '' ? undefined : posted],
        ['Session', canRead && session !== '' ? <LogLink key="session" org={org} id={session} /> : undefined],
        ['Reproduction', canRead && proof !== '' ? <LogLink key="proof" org={org} id={proof} /> : undefined],
      ]}
    />
  );
}

function LogLink({ org, id }: { org: string; id: string }) {
  return (
    <Link
      to="/$org/sessions/$id"
      params={{ org, id }}
      className="inline-flex min-h-6 items-center underline pointer-coarse:min-h-11"
    >
      Open its log
    </Link>
  );
}

function Started({ by, at }: { by: string; at: string }) {
  return (
    <>
      <Time at={at} /> by {by}
    </>
  );
}

function Findings({ org, review }: { org: string; review: Review }) {
  const query = useQuery(findingsQuery(org, review.id));
  if (query.isPending) return <SkeletonRows rows={4} height={40} />;
  if (query.isError) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return (
    <Section title="Findings" actions={<span className="text-ink-3">{findingWords(query.data)}</span>}>
      {query.data.length === 0 && <p className="text-ink-2">It found nothing to report.</p>}
      {query.data.map((finding) => (
        <div key={finding.id}>
          <AtLine org={org} finding={finding} />
          <FindingBox org={org} finding={finding} />
        </div>
      ))}
    </Section>
  );
}
