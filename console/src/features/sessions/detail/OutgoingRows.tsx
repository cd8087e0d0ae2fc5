import { Button } from '../../../ui/Button.tsx';
import { Chip } from '../../../ui/Chip.tsx';
import type { Outgoing } from './outbox.ts';
import type { Outbox } from './useOutbox.ts';
import type { ReplyDraft } from './useReplyDraft.ts';

interface Props {
  messages: readonly Outgoing[];
  outbox: Outbox;
  /** Takes a message back into the field. */
  edit: (message: ReplyDraft) => void;
}

/** Messages that the log does not have yet, at its end. */
export function OutgoingRows({ messages, outbox, edit }: Props) {
  return (
    <ul aria-label="Messages on their way" className="px-1 pb-3 sm:px-3">
      {messages.map((message) => {
        const { key, text, files, state, problem } = message;
        return (
          <li key={key} className="mt-1 rounded-r-control border-l-2 border-line-strong bg-surface px-3 py-2">
            <p className="flex items-center gap-2 text-meta text-ink-3">
              <span className="font-medium text-ink-2">You</span>
              {state === 'failed' ? (
                <Chip tone="bad">not sent</Chip>
              ) : (
                <Chip>{state === 'sent' ? 'sent' : 'sending'}</Chip>
              )}
            </p>
            <p className="max-w-[72ch] text-read break-words whitespace-pre-wrap">{text}</p>
            {files.length > 0 && <p className="break-words text-ink-3">{files.map(({ name }) => name).join(', ')}</p>}
            {state === 'failed' && (
              <div role="alert" className="flex flex-wrap items-center gap-2 pt-1">
                <span className="text-bad">{problem}</span>
                <Button onClick={() => void outbox.retry(message)}>Try again</Button>
                <Button
                  look="bare"
                  onClick={() => {
                    edit(message);
                    outbox.drop(key);
                  }}
                >
                  Edit
                </Button>
                <Button look="bare" onClick={() => outbox.drop(key)}>
                  Discard
                </Button>
              </div>
            )}
          </li>
        );
      })}
    </ul>
  );
}
