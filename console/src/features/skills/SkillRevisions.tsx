import { useInfiniteQuery } from '@tanstack/react-query';
import { Button } from '../../ui/Button.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { Body } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Time } from '../../ui/Time.tsx';
import { changesOf } from './bundle.ts';
import { revisionsQuery, type SkillRevision } from './queries.ts';

/** The revisions of a skill, with the files that each changed. */
export function SkillRevisions({ org, id }: { org: string; id: string }) {
  const query = useInfiniteQuery(revisionsQuery(org, id));
  if (query.isPending) return <SkeletonRows rows={4} height={64} />;
  if (query.data === undefined) return <Failed error={query.error} retry={() => void query.refetch()} />;
  const revisions = query.data.pages.flatMap(({ items }) => items);
  return (
    <Body>
      <ul>
        {revisions.map((revision, at) => (
          <Revision key={revision.revision} revision={revision} before={revisions[at + 1]} />
        ))}
      </ul>
      {query.hasNextPage && (
        <p>
          <Button onClick={() => void query.fetchNextPage()} disabled={query.isFetchingNextPage}>
            Show older revisions
          </Button>
        </p>
      )}
    </Body>
  );
}

const marks = { added: 'A', changed: 'M', removed: 'D' } as const;
const tones = { added: 'text-ok', changed: 'text-ink-3', removed: 'text-bad' } as const;

function Revision({ revision, before }: { revision: SkillRevision; before: SkillRevision | undefined }) {
  const { revision: number, created_by: author, created_at: at, description, files } = revision;
  const changes = before === undefined && number > 1 ? [] : changesOf(before?.files ?? [], files);
  return (
    <li className="flex flex-col gap-1 border-b border-line py-2">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium">Revision {number}</span>
        <span className="text-ink-2">{author.name}</span>
        <span className="text-ink-3">
          <Time at={at} />
        </span>
      </p>
      {before !== undefined && before.description !== description && (
        <p className="max-w-[72ch] break-words text-ink-2">Description: {description.slice(0, 1_024)}</p>
      )}
      <ul>
        {changes.map(({ path, change }) => (
          <li key={path} className="flex gap-2">
            <span className={`mono ${tones[change]}`} title={change}>
              {marks[change]}
            </span>
            <code className="min-w-0 break-all">{path}</code>
            <span className="sr-only">{change}</span>
          </li>
        ))}
      </ul>
    </li>
  );
}
