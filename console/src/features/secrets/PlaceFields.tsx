import { useFormContext, useWatch } from 'react-hook-form';
import { SelectField } from '../../forms/Form.tsx';
import { RepositoryField } from '../repositories/RepositoryField.tsx';
import { scopes, type SecretScope } from './queries.ts';

/** Which sessions get a secret. */
export function PlaceFields({ org }: { org: string }) {
  const { control } = useFormContext<{ scope: SecretScope }>();
  const scope = useWatch({ control, name: 'scope' });
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectField
        name="scope"
        label="Which sessions get it?"
        options={scopes}
        hint="Of secrets with the same name, a person’s own comes first, then the repository’s."
      />
      {scope === 'repository' && <RepositoryField org={org} name="repo" />}
    </div>
  );
}
