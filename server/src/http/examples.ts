import type { Static, TSchema } from 'typebox';

/**
 * Example requests by a short title, shown in the OpenAPI document and the reference page. Each is accepted unchanged by an
 * installation that has the resources it names.
 */
export type Examples<B extends TSchema> = Readonly<Record<string, Static<B>>>;

/** The extension of an operation that holds its examples until the document is complete. */
const examplesKey = 'x-examples';

/** Returns examples in the form of an OpenAPI media type; {@link moveExamples} moves them there. */
export function exampleField(examples: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  if (examples === undefined) return {};
  const named = Object.entries(examples).map(([summary, value]) => {
    const name = summary.toLowerCase().replaceAll(/[^a-z0-9_]+/g, '-');
    return [name, { summary, value }];
  });
  return { [examplesKey]: Object.fromEntries(named) };
}

/** Moves examples to the media type. The plugin drops keys next to a `$ref`, but keeps extensions of an operation. */
export function moveExamples(operation: object, mediaType: object): void {
  const examples: unknown = Reflect.get(operation, examplesKey);
  if (examples !== undefined) Object.assign(mediaType, { examples });
  Reflect.deleteProperty(operation, examplesKey);
}
