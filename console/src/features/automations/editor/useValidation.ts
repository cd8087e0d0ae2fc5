import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useFormContext } from 'react-hook-form';
import { ApiError, type Schemas } from '../../../lib/api.ts';
import { validationQuery } from '../queries.ts';
import { triggersOf, type EditorValues } from './values.ts';

type Sample = NonNullable<Schemas['ValidateAutomationRequest']['sample']>;

const quietMs = 350;

/** What the API says of the triggers as they are entered, a moment after the last key; and of a sample. */
export function useValidation(org: string, { sample, template }: { sample?: Sample; template?: string } = {}) {
  const { watch } = useFormContext<EditorValues>();
  const triggers = triggersOf(watch('triggers')).map(({ id: _id, ...trigger }) => trigger);
  const body = useSettled({
    triggers,
    ...(sample === undefined ? {} : { sample }),
    ...(template === undefined || template.trim() === '' ? {} : { prompt_template: template }),
  });
  const { data, error } = useQuery(validationQuery(org, body));
  const issues = error instanceof ApiError ? error.issues : [];
  return {
    data: error === null ? data : undefined,
    error,
    /** What is wrong with a field: `triggers.0.cron`. */
    issueAt: (path: string) => issues.find((issue) => issue.path.join('.') === path)?.message,
  };
}

/** Returns a value as it was when it last stayed the same for a moment. */
function useSettled<T>(value: T): T {
  const text = JSON.stringify(value);
  const [settled, setSettled] = useState({ text, value });
  useEffect(() => {
    if (text === settled.text) return undefined;
    const timer = setTimeout(() => setSettled({ text, value }), quietMs);
    return () => clearTimeout(timer);
    // The text stands for the value.
  }, [text, settled.text]);
  return settled.value;
}
