import { artifactUrl, bytes, isImage } from '../../artifacts.ts';
import type { RowOf } from '../rows.ts';

/** A file that the session stored: a picture in a box of fixed size, others by name and size. */
export function ArtifactRow({ org, session, row: { is } }: { org: string; session: string; row: RowOf<'artifact'> }) {
  const url = artifactUrl(org, session, is.artifact_id);
  return (
    <p className="px-3 py-1">
      <a
        href={url}
        download={is.name}
        className="inline-flex max-w-full flex-col justify-center gap-1 pointer-coarse:min-h-11 text-ink-2 hover:text-ink"
      >
        {isImage(is.content_type) && (
          <img
            src={url}
            alt={is.name}
            loading="lazy"
            width={240}
            height={150}
            className="h-[150px] w-[240px] max-w-full rounded-control border border-line bg-sunken object-contain"
          />
        )}
        <span className="flex gap-2">
          <span className="truncate underline">{is.name}</span>
          <span className="mono whitespace-nowrap text-ink-3">{bytes(is.size_bytes)}</span>
        </span>
      </a>
    </p>
  );
}
