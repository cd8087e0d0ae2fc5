import { ApiError } from '../lib/api.ts';
import { failureOf } from '../lib/errors.ts';
import { useAction, type ActionOptions } from '../lib/useAction.ts';
import { useConfirm, type Question } from './Confirm.tsx';
import { toast } from './toasts.ts';

interface Options extends Pick<ActionOptions<boolean, unknown>, 'call' | 'touches' | 'says' | 'done'>, Question {
  title: `${string}?`;
  /** The code of the error with which the API refuses to delete what is in use. */
  inUse: string;
}

/** Returns a function that deletes a thing after a question, and after a second one if it is in use. */
export function useForcedDelete({ inUse, call, touches, says, done, ...question }: Options): () => Promise<void> {
  const ask = useConfirm();
  const remove = useAction<boolean>({
    call,
    ...(touches === undefined ? {} : { touches }),
    ...(says === undefined ? {} : { says }),
    ...(done === undefined ? {} : { done }),
    errors: 'here',
    leaves: true,
  });
  return async () => {
    if (!(await ask(question))) return;
    try {
      await remove.mutateAsync(false);
    } catch (error) {
      const { message } = failureOf(error);
      const title = question.title.replace(/\?$/, ' anyway?');
      if (!(error instanceof ApiError) || error.code !== inUse) toast(message, 'bad');
      else if (await ask({ title, text: message, action: 'Delete it anyway' }))
        remove.mutate(true, { onError: (failed) => toast(failureOf(failed).message, 'bad') });
    }
  };
}
