import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { toast } from '../ui/toasts.ts';
import { failureOf, signInIfNeeded } from './errors.ts';
import { leave } from './leaving.ts';
import { forgetRecent } from './recents.ts';
import { isSame } from './same.ts';

export interface ActionOptions<Input, Result> {
  call: (input: Input) => Promise<Result>;
  /** The keys of what the call changes: they are read again. */
  touches?: readonly QueryKey[];
  /** What the person is told afterwards; nothing by default. */
  says?: string | ((result: Result, input: Input) => string);
  done?: (result: Result, input: Input) => unknown;
  /** `here`: the caller shows the error itself, such as a form. A passing note says it by default. */
  errors?: 'here' | 'note';
  /** `answered`: it is over before what it touches was read again, such as a form that can be sent anew. */
  until?: 'answered' | 'read';
  /** True if it deletes the record of the page; `done` then leads to another page. */
  leaves?: boolean;
}

/**
 * Something that a person does: a call, what must be read again after it, and what to say about it. `mutate` ignores an
 * input that is already under way, such as that of a second click. `reading` is over once what the last call touched was
 * read again.
 */
export function useAction<Input = void, Result = unknown>({
  call,
  touches = [],
  says,
  done,
  errors = 'note',
  until = 'read',
  leaves = false,
}: ActionOptions<Input, Result>) {
  const client = useQueryClient();
  const underWay = useRef<unknown[]>([]);
  const reading = useRef<Promise<unknown>>(undefined);
  const mutation = useMutation({
    mutationFn: call,
    // What was sent may be a secret: nothing keeps it once the page is left.
    gcTime: 0,
    onMutate: () => (leaves ? leave() : undefined),
    onSuccess: async (result, input) => {
      if (leaves) {
        forgetRecent(location.pathname);
        // A list would show the record until it is read again.
        for (const queryKey of touches) client.removeQueries({ queryKey, type: 'inactive' });
      }
      if (says !== undefined) toast(typeof says === 'string' ? says : says(result, input));
      await done?.(result, input);
    },
    onError: (error) => {
      signInIfNeeded(error);
      if (errors === 'note') toast(failureOf(error).message, 'bad');
    },
    onSettled: async (_result, _error, input, left) => {
      left?.();
      reading.current = Promise.all(touches.map((queryKey) => client.invalidateQueries({ queryKey })));
      if (until === 'read') await reading.current;
      underWay.current = underWay.current.filter((one) => one !== input);
    },
  });
  const { mutate } = mutation;
  const once: typeof mutate = useCallback(
    (...args) => {
      // `isPending` becomes true only with the next drawing.
      if (underWay.current.some((one) => isSame(one, args[0]))) return;
      underWay.current.push(args[0]);
      mutate(...args);
    },
    [mutate],
  );
  return { ...mutation, mutate: once, reading };
}
