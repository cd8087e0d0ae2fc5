import type { Issue } from '@guildhall/client';
import { useEffect, useRef, useState } from 'react';
import { useForm, type DefaultValues, type FieldValues, type Path, type UseFormReturn } from 'react-hook-form';
import { ApiError } from '../lib/api.ts';
import { failureOf, isGone, type Failure } from '../lib/errors.ts';
import { useAction, type ActionOptions } from '../lib/useAction.ts';
import { useBase, type Base, type BaseOptions, type MatchHeader } from './useBase.ts';
import { useLeaveGuard } from './useLeaveGuard.ts';

export interface ApiFormOptions<Values extends FieldValues, Result>
  extends Omit<ActionOptions<Values, Result>, 'errors' | 'call'>, BaseOptions<Values> {
  values: DefaultValues<Values>;
  /** `header` has the `If-Match` of a form with an `etag`. */
  call: (input: Values, header: MatchHeader) => Promise<Result>;
  /** The field of the form for a path in the request's body, such as `limits.0.amount`; the same by default. */
  fieldOf?: (path: string) => string;
  /** Returns the field of the form that a refusal is about which names none, such as a wrong key. */
  blamed?: (error: ApiError) => string | undefined;
  /** True: the page can be left without a question, since what was entered can be entered again. */
  isFleeting?: boolean;
}

/**
 * A form that sends its values. A refusal stands at the fields that the API names and keeps what was entered; leaving
 * the page with unsaved values asks first, unless they are fleeting. With an `etag`, nothing that someone else saved
 * meanwhile is written over unasked.
 */
export function useApiForm<Values extends FieldValues, Result>({
  values,
  etag = '',
  seen = values,
  text,
  fieldOf = (path) => path,
  blamed,
  isFleeting = false,
  call,
  ...options
}: ApiFormOptions<Values, Result>) {
  const form = useForm<Values>({ defaultValues: values, shouldFocusError: true });
  const { isDirty, errors } = form.formState;
  const allowLeaving = useUnsavedGuard(isDirty, isFleeting);
  const latestCall = useLatest(call);
  const action = useAction<Values, Result>({
    ...options,
    call: async (input) => {
      // Otherwise it would be on top of the state before the last own change, and refused.
      await base.known(action.reading.current);
      return latestCall.current(input, base.header());
    },
    errors: 'here',
    until: 'answered',
    done: (result, input) => {
      // Otherwise the way to where `done` leads is blocked.
      allowLeaving();
      base.saved(input);
      // What was entered since it was sent is kept.
      form.reset(input, { keepValues: true });
      return options.done?.(result, input);
    },
  });
  const [refusals, setRefusals] = useState(0);
  const refuse = (error: unknown) => {
    if (isShownAt(form, error, fieldOf, blamed)) setRefusals((before) => before + 1);
  };
  const send = useOneAtATime(form.handleSubmit((input) => action.mutateAsync(input).then(undefined, refuse)));
  const base: Base<Values> = useBase<Values>({
    form,
    values,
    etag,
    seen,
    ...(text === undefined ? {} : { text }),
    isPending: action.isPending,
    isRefused: etag !== '' && action.error instanceof ApiError && action.error.status === 412,
    send,
    forgetRefusal: action.reset,
  });
  return {
    form,
    submit: (event?: { preventDefault: () => void }) => {
      event?.preventDefault();
      send();
    },
    isPending: action.isPending,
    isDirty,
    /** What the API said of the whole request; undefined if the form says it elsewhere, or nothing is wrong. */
    problem: Object.keys(errors).length > 0 || base.conflict ? undefined : failureOfForm(action.error, etag !== ''),
    error: action.error,
    /** How often the API refused values. */
    refusals,
    conflict: base.conflict,
  };
}

/** A record of the page that is gone was there when the form was filled in. */
function failureOfForm(error: Error | null, isOfRecord: boolean): Failure | undefined {
  if (error === null) return undefined;
  const failure = failureOf(error);
  if (!isOfRecord || !isGone(error)) return failure;
  return { ...failure, message: `${failure.message} Somebody deleted it. Copy what you entered before you leave.` };
}

/** Shows a refusal at its fields; returns false for a failure that is about none. */
function isShownAt<Values extends FieldValues>(
  form: UseFormReturn<Values>,
  error: unknown,
  fieldOf: (path: string) => string,
  blamed: ((error: ApiError) => string | undefined) | undefined,
): boolean {
  return error instanceof ApiError && showIssues(form, issuesOf(error, blamed?.(error)), fieldOf);
}

/** The last drawn value, for what goes on after a wait. */
function useLatest<Value>(value: Value): { current: Value } {
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  });
  return latest;
}

/** Returns a function that does nothing while its last call is under way: `isPending` becomes true too late for two clicks. */
function useOneAtATime(act: () => Promise<unknown>): () => void {
  const isUnderWay = useRef(false);
  return () => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    void act().finally(() => {
      isUnderWay.current = false;
    });
  };
}

/** Asks before unsaved values are left; returns what ends that for the values that were just saved. */
function useUnsavedGuard(isDirty: boolean, isFleeting: boolean): () => void {
  const isSaved = useRef(false);
  useLeaveGuard(isDirty && !isFleeting, 'What you entered is lost.', () => isSaved.current);
  useEffect(() => {
    if (isDirty) isSaved.current = false;
  }, [isDirty]);
  return () => {
    isSaved.current = true;
  };
}

/** Returns the problems of a refusal by field; all of it is about the field that it is blamed on, if there is one. */
function issuesOf({ issues, message }: ApiError, field: string | undefined): Pick<Issue, 'path' | 'message'>[] {
  return field === undefined ? [...issues] : [{ path: [field], message }];
}

/** Returns false if there is no issue to show. */
function showIssues<Values extends FieldValues>(
  form: UseFormReturn<Values>,
  issues: readonly Pick<Issue, 'path' | 'message'>[],
  fieldOf: (path: string) => string,
): boolean {
  for (const { path, message } of issues) {
    const field = fieldOf(path.join('.'));
    if (isField(form, field)) form.setError(field, { message });
  }
  return issues.length > 0;
}

function isField<Values extends FieldValues>(form: UseFormReturn<Values>, path: string): path is Path<Values> {
  return Object.hasOwn(form.getValues(), path.split('.')[0] ?? '');
}

export type ApiForm<Values extends FieldValues, Result> = ReturnType<typeof useApiForm<Values, Result>>;
