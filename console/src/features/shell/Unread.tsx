import type { UseQueryResult } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { isGone } from '../../lib/errors.ts';
import { Failed } from '../../ui/Notice.tsx';
import { backLink, Page } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { NotHere } from './NotHere.tsx';
import { sections } from './sections.ts';
import { useSection } from './useSection.ts';

interface UnreadProps {
  query: Pick<UseQueryResult, 'error' | 'refetch'>;
  /** The heading while no name is known: `Secret`. */
  what: string;
}

/** What stands in the place of a page whose record is not read: that it is not there, or why, with the way back. */
export function Unread({ query: { error, refetch }, what }: UnreadProps) {
  if (error === null) return <SkeletonRows rows={8} height={40} />;
  if (isGone(error)) return <NotHere />;
  return (
    <Page title={what} recent="" back={<Back />}>
      <Failed error={error} retry={() => void refetch()} />
    </Page>
  );
}

/** The link to the list of the section. */
function Back() {
  const { org = '' } = useParams({ strict: false });
  const section = useSection();
  const link = sections.flatMap(({ links }) => links).find(({ to }) => to === section);
  if (link === undefined) return null;
  return (
    <Link to={link.to} params={{ org }} aria-label={`All ${link.label.toLowerCase()}`} className={backLink}>
      ‹
    </Link>
  );
}
