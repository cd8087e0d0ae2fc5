import type { Static, TSchema } from 'typebox';

/**
 * Requests with a body, by what each shows in a few words; in the OpenAPI document, the reference page and what is made from
 * them, people begin with these. Each is accepted as it stands by an installation that has what it names.
 */
export type Examples<B extends TSchema> = Readonly<Record<string, Static<B>>>;

/** The extension of an operation that carries its examples until the document is complete. */
const examplesKey = 'x-examples';

/** Examples as a media type of the OpenAPI document has them, to be moved to it by {@link moveExamples}. */
export function exampleField(examples: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  if (examples === undefined) return {};
  const named = Object.entries(examples).map(([summary, value]) => {
    const name = summary.toLowerCase().replaceAll(/[^a-z0-9_]+/g, '-');
    return [name, { summary, value }];
  });
  return { [examplesKey]: Object.fromEntries(named) };
}

/** The plugin drops what stands beside a reference, as the schema of a body is one, and keeps extensions of an operation. */
export function moveExamples(operation: object, mediaType: object): void {
  const examples: unknown = Reflect.get(operation, examplesKey);
  if (examples !== undefined) Object.assign(mediaType, { examples });
  Reflect.deleteProperty(operation, examplesKey);
}
