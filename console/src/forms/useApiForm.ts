import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useForm, type DefaultValues, type FieldValues, type Path, type UseFormReturn } from 'react-hook-form';
import { ApiError } from '../lib/api.ts';
import { failureOf } from '../lib/errors.ts';
import { useAction, type ActionOptions } from '../lib/useAction.ts';

export interface ApiFormOptions<Values extends FieldValues, Result> extends Omit<
  ActionOptions<Values, Result>,
  'errors'
> {
  values: DefaultValues<Values>;
  /** The field of the form for a path in the request's body, such as `limits.0.amount`; the same by default. */
  fieldOf?: (path: string) => string;
}

/**
 * A form that sends its values. A refusal stands at the fields that the API names and keeps what was entered; leaving
 * the page with unsaved values asks first.
 */
export function useApiForm<Values extends FieldValues, Result>({
  values,
  fieldOf = (path) => path,
  ...options
}: ApiFormOptions<Values, Result>) {
  const form = useForm<Values>({ defaultValues: values, shouldFocusError: true });
  const isSaved = useRef(false);
  const action = useAction<Values, Result>({
    ...options,
    errors: 'here',
    done: (result, input) => {
      // Otherwise the way to where `done` leads is blocked.
      isSaved.current = true;
      form.reset(input);
      return options.done?.(result, input);
    },
  });
  const { isDirty, errors } = form.formState;
  useBlocker({
    shouldBlockFn: () => !isSaved.current && !confirm('Leave this page? What you entered is lost.'),
    enableBeforeUnload: () => !isSaved.current,
    disabled: !isDirty,
  });
  useEffect(() => {
    if (isDirty) isSaved.current = false;
  }, [isDirty]);
  // What changed elsewhere shows, unless it would replace what was entered.
  const current = JSON.stringify(values);
  const shown = useRef(current);
  useEffect(() => {
    if (isDirty || shown.current === current) return;
    shown.current = current;
    form.reset(values);
  }, [form, isDirty, current, values]);
  const submit = form.handleSubmit(async (input) => {
    try {
      await action.mutateAsync(input);
    } catch (error) {
      for (const { path, message } of error instanceof ApiError ? error.issues : []) {
        const field = fieldOf(path.join('.'));
        if (isField(form, field)) form.setError(field, { message });
      }
    }
  });
  const failure = action.error === null ? undefined : failureOf(action.error);
  return {
    form,
    submit: (event?: { preventDefault: () => void }) => {
      event?.preventDefault();
      if (!action.isPending) void submit();
    },
    isPending: action.isPending,
    isDirty,
    /** What the API said of the whole request; undefined if a field says it, or nothing is wrong. */
    problem: Object.keys(errors).length > 0 ? undefined : failure,
    error: action.error,
  };
}

function isField<Values extends FieldValues>(form: UseFormReturn<Values>, path: string): path is Path<Values> {
  return Object.hasOwn(form.getValues(), path.split('.')[0] ?? '');
}

export type ApiForm<Values extends FieldValues, Result> = ReturnType<typeof useApiForm<Values, Result>>;
