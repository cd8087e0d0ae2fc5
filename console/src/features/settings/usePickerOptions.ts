import { queryOptions, useQuery } from '@tanstack/react-query';
import type { SchemaContext } from '../../forms/schema/context.ts';
import type { SchemaField } from '../../forms/schema/shape.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useCan } from '../shell/useCan.ts';

const first = 200;

/** Returns what the texts of these fields can name, as far as the person may read it. */
export function usePickerOptions(org: string, fields: readonly SchemaField[]): SchemaContext['options'] {
  const wanted = pickersOf(fields);
  const canRun = useCan(org, 'run');
  const canReadSecrets = useCan(org, 'secrets:read');
  const models = useQuery({ ...modelsQuery(org), enabled: wanted.has('model') && canRun });
  const secrets = useQuery({ ...secretsQuery(org), enabled: wanted.has('secret') && canReadSecrets });
  return {
    ...(models.data === undefined ? {} : { model: models.data }),
    ...(secrets.data === undefined ? {} : { secret: secrets.data }),
  };
}

function pickersOf(fields: readonly SchemaField[]): Set<string> {
  return new Set(
    fields.flatMap(({ shape }): string[] => {
      switch (shape.kind) {
        case 'text':
        case 'texts':
          return shape.picker === undefined ? [] : [shape.picker];
        case 'object':
        case 'rows':
          return [...pickersOf(shape.fields)];
        case 'map':
          return [...pickersOf(shape.fields), ...(shape.keyPicker === undefined ? [] : [shape.keyPicker])];
        case 'switch':
        case 'number':
        case 'choice':
        case 'json':
          return [];
      }
    }),
  );
}

function modelsQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'models', { names: true }),
    queryFn: async ({ signal }) => {
      const { items } = await unwrap(apiOf(org).GET('/v3/organizations/{orgId}/models', { signal }));
      return items.map(({ id }) => ({ value: id }));
    },
  });
}

function secretsQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'secrets', { scope: 'organization', names: true }),
    queryFn: async ({ signal }) => {
      const query = { first, scope: 'organization' as const };
      const { items } = await unwrap(
        apiOf(org).GET('/v3/organizations/{orgId}/secrets', { params: { query }, signal }),
      );
      return items.map(({ key }) => ({ value: key }));
    },
  });
}
