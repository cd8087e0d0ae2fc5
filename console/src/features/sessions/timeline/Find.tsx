import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { count } from '../../../lib/format.ts';
import { useActions } from '../../../lib/actions.ts';
import { useSearch } from '../../../lib/useSearch.ts';
import { Button } from '../../../ui/Button.tsx';
import { cx } from '../../../ui/cx.ts';
import { fieldClass } from '../../../ui/Field.tsx';
import { eventsQuery } from '../detail/queries.ts';

/** Finds a text anywhere in the log: the server searches, since only a part of the log is here. `/` opens it. */
export function Find({ org, session }: { org: string; session: string }) {
  const { find } = useSearch({ from: '/$org/sessions/$id' });
  const navigate = useNavigate({ from: '/$org/sessions/$id' });
  const [isOpen, setOpen] = useState(find !== undefined);
  const field = useRef<HTMLInputElement>(null);
  const open = () => {
    setOpen(true);
    requestAnimationFrame(() => field.current?.focus());
  };
  useActions('Find', [{ label: 'Find in the log', key: '/', act: open }]);
  useBrowsersFind(field, open);
  if (!isOpen) return null;
  const close = () => {
    setOpen(false);
    void navigate({ search: ({ find: _find, ...now }) => now, hash: true, replace: true });
  };
  return (
    <form
      role="search"
      className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-1"
      onSubmit={(event) => {
        event.preventDefault();
        const text = field.current?.value.trim() ?? '';
        void navigate({
          search: ({ find: _find, ...now }) => (text === '' ? now : { ...now, find: text }),
          hash: true,
          replace: true,
        });
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
    >
      <input
        ref={field}
        type="search"
        aria-label="Find in the log"
        placeholder="Find in the log, Enter"
        defaultValue={find ?? ''}
        maxLength={200}
        className={cx(fieldClass, 'max-w-72')}
      />
      {find !== undefined && <Hits key={find} org={org} session={session} text={find} />}
      <Button look="bare" className="ml-auto" onClick={close}>
        Close
      </Button>
    </form>
  );
}

/** The browser's own find sees only the rows in view, so its key opens ours first; pressed again it is the browser's. */
function useBrowsersFind(field: RefObject<HTMLInputElement | null>, open: () => void): void {
  const latest = useRef(open);
  useEffect(() => {
    latest.current = open;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'f' || !(event.metaKey || event.ctrlKey) || document.activeElement === field.current) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [field]);
}

function Hits({ org, session, text }: { org: string; session: string; text: string }) {
  const navigate = useNavigate({ from: '/$org/sessions/$id' });
  const query = useInfiniteQuery({ ...eventsQuery(org, session, { search: text }), placeholderData: undefined });
  const [at, setAt] = useState(0);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const seqs = query.data?.pages.flatMap(({ items }) => items.map(({ seq }) => seq)) ?? [];
  const isMore = hasNextPage && !isFetchingNextPage;
  useEffect(() => {
    // A search that takes long stops early; it goes on from where it was.
    if (isMore && at >= seqs.length - 5) void fetchNextPage();
  }, [isMore, at, seqs.length, fetchNextPage]);
  const seq = seqs[at];
  useEffect(() => {
    if (seq !== undefined) void navigate({ search: true, hash: `e${seq}`, replace: true, resetScroll: false });
  }, [seq, navigate]);
  if (query.isError) return <span className="text-bad">The search failed.</span>;
  if (seqs.length === 0)
    return (
      <span role="status" className="text-ink-3">
        {query.isPending || hasNextPage ? 'Searching …' : 'Nothing has this text.'}
      </span>
    );
  const step = (by: number) => setAt((now) => Math.min(seqs.length - 1, Math.max(0, now + by)));
  return (
    <>
      <span role="status" className="mono text-ink-3">
        {count(at + 1)} of {count(seqs.length)}
        {hasNextPage && '+'}
      </span>
      <Button look="bare" onClick={() => step(-1)} disabled={at === 0}>
        Previous
      </Button>
      <Button look="bare" onClick={() => step(1)} disabled={at === seqs.length - 1}>
        Next
      </Button>
    </>
  );
}
