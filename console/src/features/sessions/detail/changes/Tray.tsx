import { apiOf, unwrap, type Session } from '../../../../lib/api.ts';
import { keys } from '../../../../lib/keys.ts';
import { useAction } from '../../../../lib/useAction.ts';
import { Button } from '../../../../ui/Button.tsx';
import { useConfirm } from '../../../../ui/Confirm.tsx';
import { messageOf } from './comments.ts';
import type { useComments } from './useComments.ts';

interface Props {
  org: string;
  session: Session;
  notes: ReturnType<typeof useComments>;
  /** Shows a file. */
  open: (path: string) => void;
}

/** The comments that wait to be sent; shows nothing without one. */
export function Tray({ org, session: { id }, notes, open }: Props) {
  const { comments, forget } = notes;
  const confirm = useConfirm();
  const content = messageOf(comments);
  const send = useAction({
    call: (sent: typeof comments) =>
      unwrap(
        apiOf(org).POST('/v3/organizations/{orgId}/sessions/{id}/messages', {
          params: { path: { id } },
          body: { content: messageOf(sent), delivery: 'queue' },
        }),
      ),
    touches: [keys.one(org, 'sessions', id)],
    says: 'The comments are sent.',
    done: (_message, sent) => forget(sent),
  });
  const discard = async () => {
    const title = comments.length === 1 ? 'Discard the comment?' : `Discard ${comments.length} comments?`;
    if (content === '' || (await confirm({ title, text: 'What you wrote is lost.', action: 'Discard' })))
      forget(comments);
  };
  if (comments.length === 0) return null;
  const [first] = comments;
  return (
    <div
      role="region"
      aria-label="Comments"
      className="flex flex-wrap items-center gap-2 border-t border-line bg-surface px-4 py-2"
    >
      <p className="mr-auto">
        {comments.length === 1 ? '1 comment' : `${comments.length} comments`} on{' '}
        <button
          type="button"
          className="min-h-6 underline pointer-coarse:min-h-11"
          onClick={() => open(first?.path ?? '')}
        >
          {new Set(comments.map(({ path }) => path)).size === 1 ? first?.path : 'several files'}
        </button>
      </p>
      <Button look="bare" onClick={() => void discard()} disabled={send.isPending}>
        Discard
      </Button>
      <Button look="primary" onClick={() => send.mutate(comments)} disabled={send.isPending || content === ''}>
        Send as one message
      </Button>
    </div>
  );
}
