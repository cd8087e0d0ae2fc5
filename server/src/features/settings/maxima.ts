import type { SandboxMax } from '../../config/sandbox.ts';
import type { SchemaProblem } from '../../lib/schema-problems.ts';

/** A value of the namespace `sandbox` with nothing above the operator's maxima. */
export function lowered(value: object, max: SandboxMax): object {
  const entries = new Map<string, unknown>(Object.entries(value));
  for (const [key, most] of Object.entries(max)) if (Number(entries.get(key)) > most) entries.set(key, most);
  return Object.fromEntries(entries);
}

/** The namespace's schema with the operator's maxima. */
export function loweredSchema(schema: object, max: SandboxMax): object {
  const properties = new Map<string, object>(Object.entries('properties' in schema ? Object(schema.properties) : {}));
  for (const [key, maximum] of Object.entries(max)) {
    const property = Object(properties.get(key));
    properties.set(key, { ...property, maximum, default: Math.min(property.default, maximum) });
  }
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** What is put and is more than the operator allows; a default that is more is lowered instead. */
export function aboveMaxima(put: object, max: SandboxMax): SchemaProblem[] {
  const entries = new Map<string, unknown>(Object.entries(put));
  return Object.entries(max).flatMap(([key, most]) =>
    Number(entries.get(key)) > most
      ? [{ path: `/${key}`, message: `must be at most ${most}, which is the most that the operator allows` }]
      : [],
  );
}
