import { useFormContext, useWatch } from 'react-hook-form';
import { LongTextField, SelectField, TextField } from '../../forms/Form.tsx';
import { kinds } from './queries.ts';
import { needsHosts, type TraitValues } from './traits.ts';
import { exposureOf } from './words.ts';

/** How sessions get a secret, and a sentence that says what that means. */
export function TraitFields({ secretKey, says = true }: { secretKey: string; says?: boolean }) {
  const { control } = useFormContext<TraitValues>();
  const [kind, exposure, hosts] = useWatch({ control, name: ['kind', 'exposure', 'hosts'] });
  const sentence = exposureOf({
    key: secretKey === '' ? 'NAME' : secretKey,
    kind,
    exposure,
    allowed_hosts: hosts.split(/[\s,]+/).filter((host) => host !== ''),
  });
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField name="kind" label="Kind" options={kinds} />
        {kind !== 'file' && (
          <SelectField
            name="exposure"
            label="Where is the value?"
            options={[
              ['sandbox', 'In the sandbox'],
              ['broker', 'Outside: the gateway adds it to requests'],
            ]}
          />
        )}
      </div>
      {needsHosts({ kind, exposure }) && (
        <LongTextField
          name="hosts"
          label="Allowed hosts"
          hint="One a line, such as registry.example.com or *.example.com. The value goes to no other."
          rows={2}
          mono
        />
      )}
      {says && (
        <p role="note" className="max-w-[72ch] border-l-2 border-line-strong px-3 text-ink-2">
          {sentence}
        </p>
      )}
      <TextField
        name="note"
        label="Note for people"
        hint="What it is for, and where a new one comes from."
        maxLength={2_000}
      />
    </>
  );
}
