import { useId, useState } from 'react';
import { useFormContext } from 'react-hook-form';
import { failureOf } from '../../../lib/errors.ts';
import { Chip } from '../../../ui/Chip.tsx';
import { Field, fieldClass } from '../../../ui/Field.tsx';
import { Section } from '../../../ui/Page.tsx';
import { hasPayload, triggerTypes, type TriggerType } from '../words.ts';
import { PayloadField } from '../PayloadField.tsx';
import { payloadOf } from '../payload.ts';
import { samples } from './examples.ts';
import { useValidation } from './useValidation.ts';
import type { EditorValues } from './values.ts';

/** Tries a sample payload while the automation is written: would it start a run, and what would the session be told? */
export function TryIt({ org }: { org: string }) {
  const { watch } = useFormContext<EditorValues>();
  const used = new Set(watch('triggers').map(({ type }) => type));
  const types = triggerTypes.filter(([type]) => used.has(type));
  const [chosen, setChosen] = useState<TriggerType>();
  const type =
    types.find(([one]) => one === chosen)?.[0] ?? types.find(([one]) => hasPayload(one))?.[0] ?? types[0]?.[0];
  const [texts, setTexts] = useState<Partial<Record<TriggerType, string>>>({});
  const text = type === undefined ? '{}' : (texts[type] ?? JSON.stringify(samples[type] ?? {}, null, 2));
  return (
    <Section title="Try it">
      {type !== undefined && (
        <>
          <Field label="A sample of">
            {(attributes) => (
              <select
                {...attributes}
                value={type}
                onChange={({ target }) => setChosen(triggerTypes.find(([one]) => one === target.value)?.[0])}
                className={fieldClass}
              >
                {types.map(([id, word]) => (
                  <option key={id} value={id}>
                    {word}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {hasPayload(type) && <PayloadField text={text} onChange={(value) => setTexts({ ...texts, [type]: value })} />}
        </>
      )}
      <Outcome org={org} type={type} payload={payloadOf(text)} />
    </Section>
  );
}

function Outcome({
  org,
  type,
  payload,
}: {
  org: string;
  type: TriggerType | undefined;
  payload: Record<string, unknown> | undefined;
}) {
  const { watch } = useFormContext<EditorValues>();
  const heading = useId();
  const template = watch('action.prompt_template');
  const { data, error } = useValidation(org, {
    template,
    ...(type === undefined || payload === undefined ? {} : { sample: { type, payload } }),
  });
  return (
    <div className="flex flex-col gap-3" aria-live="polite">
      {error !== null && <p className="text-bad">{failureOf(error).message}</p>}
      {type !== undefined && hasPayload(type) && data?.matches === true && (
        <p>
          <Chip tone="ok">Starts a run</Chip>
        </p>
      )}
      {type !== undefined && hasPayload(type) && data?.matches === false && (
        <p>
          <Chip tone="wait">Starts nothing</Chip> <span className="text-ink-2">A condition does not hold.</span>
        </p>
      )}
      {data !== undefined && data.prompt !== '' && (
        <section aria-labelledby={heading}>
          <h3 id={heading} className="pb-1 font-medium">
            The session would be told
          </h3>
          <pre
            tabIndex={0}
            className="max-h-80 overflow-auto rounded-control bg-sunken p-3 break-words whitespace-pre-wrap"
          >
            {data.prompt}
          </pre>
        </section>
      )}
    </div>
  );
}
