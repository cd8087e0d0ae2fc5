import { useInfiniteQuery } from '@tanstack/react-query';
import { Button } from '../../../../ui/Button.tsx';
import { Empty, Failed } from '../../../../ui/Notice.tsx';
import { SkeletonRows } from '../../../../ui/Skeleton.tsx';
import { Time } from '../../../../ui/Time.tsx';
import { artifactUrl, bytes, isImage } from '../../artifacts.ts';
import { artifactsQuery } from '../queries.ts';

/** The files that the session stored: pictures side by side, others in a list. */
export function ArtifactsTab({ org, id }: { org: string; id: string }) {
  const query = useInfiniteQuery(artifactsQuery(org, id));
  if (query.isPending) return <SkeletonRows rows={6} height={40} />;
  if (query.data === undefined) return <Failed error={query.error} retry={() => void query.refetch()} />;
  const all = query.data.pages.flatMap(({ items }) => items);
  const images = all.filter(({ content_type: type }) => isImage(type));
  const files = all.filter(({ content_type: type }) => !isImage(type));
  if (all.length === 0)
    return <Empty>No files yet. Pictures, long outputs and other files of the session stand here.</Empty>;
  return (
    <div className="flex flex-col gap-6 overflow-auto px-4 py-4">
      {images.length > 0 && (
        <ul aria-label="Pictures" className="flex shrink-0 gap-3 overflow-x-auto pb-2">
          {images.map(({ id: artifact, name, created_at: at }) => (
            <li key={artifact} className="w-60 shrink-0">
              <a href={artifactUrl(org, id, artifact)} download={name} className="flex flex-col gap-1">
                <img
                  src={artifactUrl(org, id, artifact)}
                  alt={name}
                  loading="lazy"
                  width={240}
                  height={150}
                  className="h-[150px] w-60 rounded-control border border-line bg-sunken object-contain"
                />
                <span className="truncate">{name}</span>
                <span className="text-meta text-ink-3">
                  <Time at={at} />
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
      {files.length > 0 && (
        <ul aria-label="Files">
          {files.map(({ id: artifact, name, size_bytes: size, content_type: type, created_at: at }) => (
            <li key={artifact} className="flex min-h-10 items-center gap-3 border-b border-line">
              <a
                href={artifactUrl(org, id, artifact)}
                download={name}
                className="min-w-0 flex-1 truncate font-medium hover:underline"
                title={`${name}, ${type}`}
              >
                {name}
              </a>
              <span className="mono whitespace-nowrap text-ink-3">{bytes(size)}</span>
              <span className="text-meta text-ink-3">
                <Time at={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {query.hasNextPage && (
        <Button className="self-start" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show more
        </Button>
      )}
    </div>
  );
}
