import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useWatch } from 'react-hook-form';
import { Form, TextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { PlaceFields } from './PlaceFields.tsx';
import { secretsPath, type SecretScope } from './queries.ts';
import { TraitFields } from './TraitFields.tsx';
import { traitField, traitsOf, type TraitValues } from './traits.ts';
import { ValueField } from './ValueField.tsx';

/** The page that stores a secret. */
export function NewSecretScreen() {
  const { org } = useParams({ from: '/$org/secrets/new' });
  return (
    <Page
      title="New secret"
      back={
        <Link to="/$org/secrets" params={{ org }} aria-label="All secrets" className={backLink}>
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="secrets:write">
        <Body>
          <NewSecret org={org} />
        </Body>
      </Guarded>
    </Page>
  );
}

interface Values extends TraitValues {
  key: string;
  value: string;
  scope: SecretScope;
  repo: string;
}

const empty: Values = {
  key: '',
  value: '',
  scope: 'organization',
  repo: '',
  kind: 'env',
  exposure: 'sandbox',
  hosts: '',
  note: '',
};

function NewSecret({ org }: { org: string }) {
  const navigate = useNavigate();
  const of = useApiForm({
    values: empty,
    fieldOf: traitField,
    call: ({ key, value, scope, repo, ...traits }: Values) => {
      const place = scope === 'repository' ? { scope, repo } : { scope };
      return unwrap(apiOf(org).POST(secretsPath, { body: { key: key.trim(), value, ...place, ...traitsOf(traits) } }));
    },
    touches: [keys.all(org, 'secrets')],
    says: ({ key }) => `${key} is stored. From now on nobody can read its value here.`,
    done: ({ id }) => navigate({ to: '/$org/secrets/$id', params: { org, id } }),
  });
  const key = useWatch({ control: of.form.control, name: 'key' });
  return (
    <Form of={of} action="Store the secret">
      <TextField name="key" label="Name" hint="The variable’s name." placeholder="NPM_TOKEN" maxLength={256} mono />
      <ValueField name="value" label="Value" hint="At most 16 KiB. It can be replaced later, and never read." />
      <PlaceFields org={org} />
      <TraitFields secretKey={key.trim()} />
    </Form>
  );
}
