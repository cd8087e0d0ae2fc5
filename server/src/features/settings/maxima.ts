import type { SchemaProblem } from '../../lib/schema-problems.ts';

/** The operator's maximum by key of a value. */
export type Maxima = Readonly<Partial<Record<string, number>>>;

/** Returns a value with everything above the operator's maxima lowered to them. */
export function lowered(value: object, max: Maxima): object {
  const entries = new Map<string, unknown>(Object.entries(value));
  for (const [key, most = Infinity] of Object.entries(max)) if (Number(entries.get(key)) > most) entries.set(key, most);
  return Object.fromEntries(entries);
}

/** Returns a namespace's schema with the operator's maxima. */
export function loweredSchema(schema: object, max: Maxima): object {
  const properties = new Map<string, object>(Object.entries('properties' in schema ? Object(schema.properties) : {}));
  for (const [key, maximum = Infinity] of Object.entries(max)) {
    const property = Object(properties.get(key));
    properties.set(key, { ...property, maximum, default: Math.min(property.default, maximum) });
  }
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** Returns a problem for each key of a PUT that exceeds the operator's maximum; a default is lowered instead. */
export function aboveMaxima(put: object, max: Maxima): SchemaProblem[] {
  const entries = new Map<string, unknown>(Object.entries(put));
  return Object.entries(max).flatMap(([key, most = Infinity]) =>
    Number(entries.get(key)) > most
      ? [{ path: `/${key}`, message: `must be at most ${most}, the operator's limit` }]
      : [],
  );
}
