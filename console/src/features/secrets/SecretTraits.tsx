import { Form } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { secretsPath, type Secret } from './queries.ts';
import { TraitFields } from './TraitFields.tsx';
import { traitField, traitsOf, type TraitValues } from './traits.ts';

/** Changes how sessions get a secret. */
export function SecretTraits({ org, secret }: { org: string; secret: Secret }) {
  const { id, key, kind, exposure, note, allowed_hosts: hosts } = secret;
  const of = useApiForm({
    values: { kind, exposure, note, hosts: hosts.join('\n') },
    fieldOf: traitField,
    call: (values: TraitValues) =>
      unwrap(apiOf(org).PATCH(`${secretsPath}/{id}`, { params: { path: { id } }, body: traitsOf(values) })),
    touches: [keys.all(org, 'secrets')],
    says: 'Saved.',
  });
  return (
    <Form of={of} action="Save">
      <TraitFields secretKey={key} says={of.isDirty} />
    </Form>
  );
}
