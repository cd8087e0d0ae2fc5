import { useMemo } from 'react';
import type { DiffLines, DiffNote } from '../../ui/diff/diff.ts';
import { FindingBox } from '../reviews/FindingBox.tsx';
import type { Finding } from '../reviews/queries.ts';
import { LineForm } from './LineForm.tsx';
import { ThreadBox } from './ThreadBox.tsx';
import type { ChangeRequest, Comment, Place } from './queries.ts';
import { isAtLine, threadsOf } from './threads.ts';

interface Options {
  place: Place;
  request: ChangeRequest;
  comments: readonly Comment[];
  findings: readonly Finding[];
  /** The lines that a person writes about. */
  written: {
    all: readonly DiffLines[];
    chosen: string | undefined;
    idOf: (lines: DiffLines) => string;
    close: (lines: DiffLines) => void;
  };
}

/** What stands below lines: findings, threads, and a form for each place that a person writes about. */
export function useNotes({ place, request, comments, findings, written }: Options) {
  const found = useMemo(
    () => findings.filter(({ in_diff: isIn, line, status }) => isIn && line !== null && status !== 'resolved'),
    [findings],
  );
  const threads = useMemo(() => {
    // The comment of a finding says the same again.
    const shown = new Set(found.map(({ comment_id: id }) => id));
    return threadsOf(comments).filter(
      (thread) => isAtLine(thread) && (thread.replies.length > 0 || !shown.has(thread.first.id)),
    );
  }, [comments, found]);
  const { all, chosen, idOf, close } = written;
  const notes = useMemo(() => {
    const findingNotes = found.map(({ id, file, side, line }) => ({ id, path: file, side, line: line ?? 1 }));
    const said = threads.map(({ first: { id, file, side, line } }) => ({ id, path: file, side, line: line ?? 1 }));
    const begun = all.map((lines): DiffNote => ({ ...lines, id: idOf(lines), line: lines.to }));
    return [...findingNotes, ...said, ...begun];
    // The names of lines do not change.
  }, [found, threads, all]);
  const renderNote = (id: string) => {
    const lines = all.find((one) => idOf(one) === id);
    if (lines !== undefined)
      return (
        <LineForm place={place} request={request} lines={lines} isChosen={id === chosen} close={() => close(lines)} />
      );
    const finding = found.find((one) => one.id === id);
    if (finding !== undefined) return <FindingBox org={place.org} finding={finding} />;
    const thread = threads.find(({ first }) => first.id === id);
    return thread === undefined ? null : <ThreadBox place={place} thread={thread} />;
  };
  return { notes, renderNote };
}
