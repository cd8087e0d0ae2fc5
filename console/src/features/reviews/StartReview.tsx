import { useState } from 'react';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import type { ChangeRequest } from '../change-requests/queries.ts';
import { useText } from '../change-requests/useText.ts';
import { WriteForm } from '../change-requests/WriteForm.tsx';
import { reviewsPath } from './queries.ts';

/** Starts a review of the present head of a change request, with instructions if somebody has any. */
export function StartReview({ org, request }: { org: string; request: ChangeRequest }) {
  const { id, provider, repo, number, head_sha: commit } = request;
  const { text, write } = useText(`review/${id}`);
  const [isOpen, setOpen] = useState(text !== '');
  const start = useAction({
    call: () =>
      unwrap(
        apiOf(org).POST(reviewsPath, {
          body: { provider, repo, number, commit_sha: commit, instructions: text.trim() },
        }),
      ),
    touches: [keys.all(org, 'reviews')],
    says: 'The review starts.',
    errors: isOpen ? 'here' : 'note',
    done: () => {
      write('');
      setOpen(false);
    },
  });
  const submit = () => {
    if (!start.isPending) start.mutate();
  };
  const button = (
    <Button
      type={isOpen ? 'submit' : 'button'}
      look="primary"
      disabled={start.isPending}
      {...(isOpen ? {} : { onClick: submit })}
    >
      {start.isPending ? 'Starting …' : 'Start a review'}
    </Button>
  );
  if (!isOpen)
    return (
      <p className="flex flex-wrap gap-2">
        {button}
        <Button look="bare" onClick={() => setOpen(true)}>
          With instructions
        </Button>
      </p>
    );
  return (
    <WriteForm
      label="What should the review look at?"
      text={text}
      write={write}
      submit={submit}
      error={start.error}
      longest={20_000}
      isFocused
      close={() => setOpen(false)}
    >
      {button}
      <Button onClick={() => setOpen(false)}>Cancel</Button>
    </WriteForm>
  );
}
