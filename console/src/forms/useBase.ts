import { useEffect, useRef, useState } from 'react';
import type { DefaultValues, FieldValues, UseFormReturn } from 'react-hook-form';
import { isSame } from '../lib/same.ts';
import { linesOf, mergedObject } from './merge.ts';

export interface BaseOptions<Values extends FieldValues> {
  /** The ETag of the record that `values` are of; '' for a form that changes none. */
  etag?: string;
  /** What makes two states of the record differ for the form; its values by default. */
  seen?: unknown;
  /** How a person compares the values: a file name, for colors, and the text; null if nobody can. */
  text?: { name: string; of: (values: Values) => string } | null;
}

/** The state of the record that a form began from, for the API. */
export interface MatchHeader {
  'if-match'?: string;
}

/** A state of the record that someone else saved while the form was filled in. */
export interface Conflict {
  /** True if the API refused to write over it; otherwise it just arrived, perhaps in the midst of a word. */
  isRefused: boolean;
  /** Undefined if nobody can compare the values. */
  texts: (() => { name: string; theirs: string; mine: string }) | undefined;
  keepMine: () => void;
  takeTheirs: () => void;
}

export interface Base<Values> {
  header: () => MatchHeader;
  /** Told what was saved: the next state is the own one, not somebody else's. */
  saved: (input: Values) => void;
  /** Resolves once the state after the last own change is known; at the latest when `reading` is over. */
  known: (reading: Promise<unknown> | undefined) => Promise<void>;
  conflict: Conflict | undefined;
}

interface Options<Values extends FieldValues> extends BaseOptions<Values> {
  form: UseFormReturn<Values>;
  values: DefaultValues<Values>;
  /** True until the API answered: what changed meanwhile may be the own change. */
  isPending: boolean;
  /** True after the API refused to change the state that it began from. */
  isRefused: boolean;
  send: () => void;
  forgetRefusal: () => void;
}

/** The state after an own change, before it was read. */
const own = Symbol('own');

/**
 * Keeps the state that a form began from. A later one takes its place if nothing differs that the form shows; any other
 * is a conflict, and the person decides.
 */
export function useBase<Values extends FieldValues>({
  form,
  values,
  etag = '',
  seen = values,
  text = { name: 'values.txt', of: linesOf },
  isPending,
  isRefused,
  send,
  forgetRefusal,
}: Options<Values>): Base<Values> {
  const [base, setBase] = useState<{ etag: string; seen: unknown; values: unknown }>({ etag, seen, values });
  const [match, sent] = [useRef(etag), useRef('')];
  const { isShown, startFrom } = useStart(form, values);
  const unread = useUnread();
  const { isDirty } = form.formState;
  // A tag may be read a moment after the values.
  const isOther = base.etag !== '' && base.etag !== etag && base.seen !== own;
  const theirs = () => mergedObject(undefined, form.getValues(), values);
  // An own change whose answer was lost leaves nothing to decide.
  const isConflict = isDirty && isOther && !isSame(base.seen, seen) && !isSame(theirs(), form.getValues());
  const begin = () => {
    match.current = etag;
    setBase({ etag, seen, values });
  };
  useEffect(() => {
    if (base.etag !== etag) unread.isRead();
    if (isConflict) return;
    if (base.etag !== etag) begin();
    // What changed elsewhere shows, unless it would replace what was entered.
    if (!isDirty && !isShown(values)) startFrom(values);
    // Only what the form does not show had changed, such as a time of use.
    if (isDirty && isRefused && sent.current !== match.current) send();
  });
  const mine = () => mergedObject(base.values, theirs(), form.getValues());
  const takeTheirs = () => {
    begin();
    forgetRefusal();
    startFrom(values);
  };
  const conflict: Conflict = {
    isRefused,
    texts: text === null ? undefined : () => textsOf(text, theirs(), mine()),
    keepMine: () => {
      const kept = mine();
      takeTheirs();
      form.reset(kept, { keepDefaultValues: true });
    },
    takeTheirs,
  };
  return {
    header: () => {
      sent.current = match.current;
      return match.current === '' ? {} : { 'if-match': match.current };
    },
    known: unread.known,
    saved: (input) => {
      if (etag !== '' && match.current === etag) unread.begin();
      setBase((before) => ({ ...before, seen: seen === values ? input : own, values: input }));
    },
    conflict: isConflict && !isPending ? conflict : undefined,
  };
}

/** Returns two states as texts that end with their last line. */
function textsOf<Values>({ name, of }: { name: string; of: (values: Values) => string }, theirs: Values, mine: Values) {
  const lines = (values: Values) => of(values).replace(/\n?$/, '\n');
  return { name, theirs: lines(theirs), mine: lines(mine) };
}

/** The values that a form began from, and how it begins anew. */
function useStart<Values extends FieldValues>(form: UseFormReturn<Values>, values: DefaultValues<Values>) {
  const shown = useRef(values);
  return {
    isShown: (others: DefaultValues<Values>) => isSame(shown.current, others),
    startFrom: (next: DefaultValues<Values>) => {
      shown.current = next;
      form.reset(next);
    },
  };
}

/** Lets a change wait for the state after the last own one. */
function useUnread() {
  const unread = useRef<PromiseWithResolvers<void>>(undefined);
  return {
    begin: () => {
      unread.current = Promise.withResolvers();
    },
    isRead: () => unread.current?.resolve(),
    known: async (reading: Promise<unknown> | undefined) => {
      await Promise.race([unread.current?.promise, reading]);
      unread.current = undefined;
    },
  };
}
