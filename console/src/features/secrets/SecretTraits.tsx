import { Form } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap, type Tagged } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { secretsPath, type Secret } from './queries.ts';
import { TraitFields } from './TraitFields.tsx';
import { traitField, traitsOf, type TraitValues } from './traits.ts';

/** Changes how sessions get a secret. */
export function SecretTraits({ org, secret }: { org: string; secret: Tagged<Secret> }) {
  const { id, key, kind, exposure, note, allowed_hosts: hosts, etag } = secret;
  const of = useApiForm({
    values: { kind, exposure, note, hosts: hosts.join('\n') },
    etag,
    fieldOf: traitField,
    call: (values: TraitValues, header) =>
      unwrap(apiOf(org).PATCH(`${secretsPath}/{id}`, { params: { path: { id }, header }, body: traitsOf(values) })),
    touches: [keys.all(org, 'secrets')],
    says: 'Saved.',
  });
  return (
    <Form of={of} action="Save">
      <TraitFields secretKey={key} says={of.isDirty} />
    </Form>
  );
}
