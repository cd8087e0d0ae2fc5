import { useState } from 'react';
import { apiOf, unwrap } from '../../lib/api.ts';
import { count } from '../../lib/format.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { Time } from '../../ui/Time.tsx';
import { Markdown } from '../sessions/timeline/Markdown.tsx';
import { useCan } from '../shell/useCan.ts';
import { WriteForm } from './WriteForm.tsx';
import { commentsKey, requestPath, type Comment, type Place } from './queries.ts';
import { placeWords, type Thread } from './threads.ts';
import { useText } from './useText.ts';

interface Props {
  place: Place;
  thread: Thread;
}

/** A thread of comments: read it, reply, resolve it. A resolved one is folded. */
export function ThreadBox({ place, thread }: Props) {
  const { first, replies } = thread;
  const where = placeWords(thread);
  const { org, repository: id, number } = place;
  const { id: commentId, resolved: isResolved } = first;
  const [isReplying, setReplying] = useState(false);
  const canWrite = useCan(org, 'repos:write');
  const resolve = useAction({
    call: () =>
      unwrap(
        apiOf(org).PATCH(`${requestPath}/comments/{commentId}`, {
          params: { path: { id, number, commentId } },
          body: { resolved: !isResolved },
        }),
      ),
    touches: [commentsKey(place)],
  });
  return (
    <details
      key={String(isResolved)}
      open={!isResolved}
      className="my-1 max-w-[80ch] rounded-control border border-line-strong bg-surface font-sans text-base whitespace-normal"
    >
      <summary className="flex min-h-8 cursor-pointer items-center gap-2 px-3 pointer-coarse:min-h-11">
        <span className="min-w-0 flex-1 truncate">
          {replies.length === 0 ? 'Comment' : `${count(replies.length + 1)} comments`}
          {where !== '' && ` on ${where}`}
        </span>
        {isResolved && <Chip>Resolved</Chip>}
      </summary>
      <div className="flex flex-col gap-3 border-t border-line px-3 py-2">
        {[first, ...replies].map((comment) => (
          <CommentText key={comment.id} comment={comment} />
        ))}
        {canWrite && !isReplying && (
          <p className="flex gap-2">
            <Button onClick={() => setReplying(true)}>Reply</Button>
            <Button disabled={resolve.isPending} onClick={() => resolve.mutate()}>
              {isResolved ? 'Open again' : 'Resolve'}
            </Button>
          </p>
        )}
        {canWrite && isReplying && <ReplyForm place={place} to={commentId} close={() => setReplying(false)} />}
      </div>
    </details>
  );
}

function CommentText({ comment: { author, created_at: at, body } }: { comment: Comment }) {
  return (
    <article>
      <p className="flex gap-2 text-meta text-ink-3">
        <span className="truncate">{author.name || 'Somebody'}</span>
        <Time at={at} />
      </p>
      <Markdown text={body} />
    </article>
  );
}

function ReplyForm({ place, to, close }: { place: Place; to: string; close: () => void }) {
  const { org, repository: id, number } = place;
  const { text, write, sent } = useText(`reply/${to}`);
  const send = useAction({
    call: (body: string) =>
      unwrap(
        apiOf(org).POST(`${requestPath}/comments`, {
          params: { path: { id, number } },
          body: { body: body.trim(), in_reply_to: to },
        }),
      ),
    touches: [commentsKey(place)],
    errors: 'here',
    done: (_comment, body) => {
      if (sent(body)) close();
    },
  });
  const submit = () => {
    if (text.trim() !== '' && !send.isPending) send.mutate(text);
  };
  return (
    <WriteForm label="Reply" text={text} write={write} submit={submit} error={send.error} isFocused close={close}>
      <Button type="submit" look="primary" disabled={text.trim() === '' || send.isPending}>
        Reply
      </Button>
      <Button onClick={close}>Cancel</Button>
    </WriteForm>
  );
}
