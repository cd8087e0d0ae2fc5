import { useState } from 'react';
import { apiOf, unwrap } from '../../lib/api.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import type { DiffLines } from '../../ui/diff/diff.ts';
import { lineWords } from '../../ui/diff/lines.ts';
import { useCan } from '../shell/useCan.ts';
import { WriteForm } from './WriteForm.tsx';
import { commentsKey, requestPath, type ChangeRequest, type Place } from './queries.ts';
import { questionOf } from './threads.ts';
import { unsentName } from './unsent.ts';
import { useText } from './useText.ts';

interface Props {
  place: Place;
  request: ChangeRequest;
  lines: DiffLines;
  /** True for lines that were just chosen: the field takes the focus. */
  isChosen: boolean;
  close: () => void;
}

/** What a person says about lines: to everybody as a comment, or to the agent as a message. */
export function LineForm({ place, request, lines, isChosen, close }: Props) {
  const { org, repository: id, number } = place;
  const { path: file, side, from, to } = lines;
  const { session_id: session } = request;
  const { text, write, sent } = useText(unsentName(place, lines));
  const [asked, setAsked] = useState<'comment' | 'ask'>('comment');
  const canWrite = useCan(org, 'repos:write');
  const canAsk = useCan(org, 'run') && session !== '';
  const discard = () => {
    write('');
    close();
  };
  const done = (_result: unknown, body: string) => {
    if (sent(body)) close();
  };
  const comment = useAction({
    call: (body: string) =>
      unwrap(
        apiOf(org).POST(`${requestPath}/comments`, {
          params: { path: { id, number } },
          body: { body: body.trim(), file, side, line: to, ...(from < to ? { start_line: from } : {}) },
        }),
      ),
    touches: [commentsKey(place)],
    errors: 'here',
    done,
  });
  const ask = useAction({
    call: (body: string) =>
      unwrap(
        apiOf(org).POST('/v3/organizations/{orgId}/sessions/{id}/messages', {
          params: { path: { id: session } },
          body: { content: questionOf(number, lines, body.trim()) },
        }),
      ),
    touches: [[org, 'sessions']],
    says: 'The session has your message.',
    errors: 'here',
    done,
  });
  const isBusy = comment.isPending || ask.isPending;
  const isEmpty = text.trim() === '';
  const send = (how: 'comment' | 'ask') => {
    if (isEmpty || isBusy) return;
    setAsked(how);
    if (how === 'ask') ask.mutate(text);
    else comment.mutate(text);
  };
  return (
    <div className="my-1 rounded-control border border-accent bg-surface p-3 font-sans text-base whitespace-normal">
      <WriteForm
        label={`About ${lineWords(lines)}`}
        text={text}
        write={write}
        submit={() => send(canWrite ? 'comment' : 'ask')}
        error={asked === 'ask' ? ask.error : comment.error}
        isFocused={isChosen}
        close={close}
      >
        {canWrite && (
          <Button type="submit" look="primary" disabled={isEmpty || isBusy}>
            Comment
          </Button>
        )}
        {canAsk && (
          <Button disabled={isEmpty || isBusy} onClick={() => send('ask')}>
            Ask the agent
          </Button>
        )}
        <Button onClick={discard}>{isEmpty ? 'Cancel' : 'Discard'}</Button>
      </WriteForm>
    </div>
  );
}
