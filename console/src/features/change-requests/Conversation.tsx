import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { apiOf, unwrap } from '../../lib/api.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { Body, Section } from '../../ui/Page.tsx';
import { writtenLines } from '../../ui/diff/lines.ts';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Markdown } from '../sessions/timeline/Markdown.tsx';
import { Needs } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { ThreadBox } from './ThreadBox.tsx';
import { WriteForm } from './WriteForm.tsx';
import { commentsKey, requestPath, type ChangeRequest, type Comment, type Place } from './queries.ts';
import { isAtLine, threadsOf, type Thread } from './threads.ts';
import { unsentWholeName } from './unsent.ts';
import { useText } from './useText.ts';

interface Props {
  place: Place;
  request: ChangeRequest;
  comments: UseQueryResult<Comment[]>;
}

/** The description, and everything that was said, at lines too. */
export function Conversation({ place, request, comments }: Props) {
  const threads = threadsOf(comments.data ?? []);
  const canWrite = useCan(place.org, 'repos:write');
  return (
    <Body>
      <Section title="Description">
        {request.body === '' ? <p className="text-ink-3">It has none.</p> : <Markdown text={request.body} />}
      </Section>
      <Section title="Comments">
        {comments.isPending && <SkeletonRows rows={3} height={64} />}
        {comments.isError && <Failed error={comments.error} retry={() => void comments.refetch()} />}
        {comments.isSuccess && threads.length === 0 && <p className="text-ink-3">Nobody has commented yet.</p>}
        {threads.map((thread) => (
          <div key={thread.first.id}>
            {isAtLine(thread) && <AtLine place={place} thread={thread} />}
            <ThreadBox place={place} thread={thread} />
          </div>
        ))}
        {canWrite && <CommentForm place={place} />}
        <Needs org={place.org} scope="repos:write" what="Commenting" />
      </Section>
    </Body>
  );
}

function AtLine({ place, thread: { first } }: { place: Place; thread: Thread }) {
  const { file, side, line, start_line: start } = first;
  const to = line ?? 1;
  return (
    <Link
      to="/$org/repositories/$repository/change-requests/$number"
      params={{ org: place.org, repository: place.repository, number: String(place.number) }}
      search={{ file, l: writtenLines({ path: file, side, from: start ?? to, to }) }}
      className="mono inline-block min-h-6 max-w-full truncate text-ink-2 underline"
    >
      {file}:{to}
    </Link>
  );
}

function CommentForm({ place }: { place: Place }) {
  const { org, repository: id, number } = place;
  const { text, write, sent } = useText(unsentWholeName(place));
  const send = useAction({
    call: (body: string) =>
      unwrap(
        apiOf(org).POST(`${requestPath}/comments`, { params: { path: { id, number } }, body: { body: body.trim() } }),
      ),
    touches: [commentsKey(place)],
    errors: 'here',
    done: (_comment, body) => sent(body),
  });
  const submit = () => {
    if (text.trim() !== '' && !send.isPending) send.mutate(text);
  };
  return (
    <WriteForm label="Comment on the whole change" text={text} write={write} submit={submit} error={send.error}>
      <Button type="submit" look="primary" disabled={text.trim() === '' || send.isPending}>
        Comment
      </Button>
    </WriteForm>
  );
}
