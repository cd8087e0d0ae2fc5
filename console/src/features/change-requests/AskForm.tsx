import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { apiOf, unwrap } from '../../lib/api.ts';
import { count } from '../../lib/format.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { WriteForm } from './WriteForm.tsx';
import { commentsQuery, type ChangeRequest, type Place } from './queries.ts';
import { sendBackMessage, threadsOf } from './threads.ts';
import { useText } from './useText.ts';

interface Props {
  place: Place;
  request: ChangeRequest;
  close: () => void;
}

/** One message to the session of a change request, which begins its next turn: what is written here, and what is open. */
export function AskForm({ place, request, close }: Props) {
  const { org } = place;
  const { id, number, session_id: session } = request;
  const { text, write, sent } = useText(`ask/${id}`);
  const { data: comments = [] } = useQuery(commentsQuery(place));
  const [isAlone, setAlone] = useState(false);
  const open = threadsOf(comments).filter(({ first }) => !first.resolved);
  const threads = isAlone ? [] : open;
  const ask = useAction({
    call: (body: string) =>
      unwrap(
        apiOf(org).POST('/v3/organizations/{orgId}/sessions/{id}/messages', {
          params: { path: { id: session } },
          body: { content: sendBackMessage(number, body, threads) },
        }),
      ),
    touches: [[org, 'sessions']],
    says: 'The session has your message.',
    errors: 'here',
    done: (_message, body) => {
      if (sent(body)) close();
    },
  });
  const canSend = (text.trim() !== '' || threads.length > 0) && !ask.isPending;
  const submit = () => {
    if (canSend) ask.mutate(text);
  };
  return (
    <WriteForm
      label="What should the session change?"
      text={text}
      write={write}
      submit={submit}
      error={ask.error}
      isFocused
      close={close}
    >
      <Button type="submit" look="primary" disabled={!canSend}>
        Send to the session
      </Button>
      <Button onClick={close}>Cancel</Button>
      {open.length > 0 && (
        <label className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
          <input
            type="checkbox"
            checked={!isAlone}
            onChange={({ target }) => setAlone(!target.checked)}
            className="size-4 accent-accent"
          />
          {open.length === 1 ? 'With the open comment' : `With the ${count(open.length)} open comments`}
        </label>
      )}
    </WriteForm>
  );
}
