import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { toast } from '../ui/toasts.ts';
import { failureOf, signInIfNeeded } from './errors.ts';

export interface ActionOptions<Input, Result> {
  call: (input: Input) => Promise<Result>;
  /** The keys of what the call changes: they are read again. */
  touches?: readonly QueryKey[];
  /** What the person is told afterwards; nothing by default. */
  says?: string | ((result: Result, input: Input) => string);
  done?: (result: Result, input: Input) => unknown;
  /** `here`: the caller shows the error itself, such as a form. A passing note says it by default. */
  errors?: 'here' | 'note';
}

/** Something that a person does: a call, what must be read again after it, and what to say about it. */
export function useAction<Input = void, Result = unknown>({
  call,
  touches = [],
  says,
  done,
  errors = 'note',
}: ActionOptions<Input, Result>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: call,
    // What was sent may be a secret: nothing keeps it once the page is left.
    gcTime: 0,
    onSuccess: async (result, input) => {
      if (says !== undefined) toast(typeof says === 'string' ? says : says(result, input));
      await done?.(result, input);
    },
    onError: (error) => {
      signInIfNeeded(error);
      if (errors === 'note') toast(failureOf(error).message, 'bad');
    },
    onSettled: () => Promise.all(touches.map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}
