import { useFormContext, useWatch } from 'react-hook-form';
import { LongTextField, SelectField } from '../../forms/Form.tsx';
import type { Assigned } from './assignments.ts';

/** Which sessions get a skill. */
export function AssignmentFields() {
  const { control } = useFormContext<Assigned>();
  const scope = useWatch({ control, name: 'scope' });
  return (
    <>
      <SelectField
        name="scope"
        label="Which sessions get it?"
        options={[
          ['organization', 'Every session'],
          ['repository', 'Sessions on some repositories'],
        ]}
      />
      {scope === 'repository' && (
        <LongTextField name="repos" label="Repositories" hint="owner/name or owner/*, one a line." rows={2} mono />
      )}
    </>
  );
}
