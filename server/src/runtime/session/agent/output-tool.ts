/** Top-level keywords of a schema that describes an object by its keys only. */
const plainKeywords: ReadonlySet<string> = new Set(
  '$schema $defs type title description properties required additionalProperties patternProperties propertyNames minProperties maxProperties examples example default'.split(
    ' ',
  ),
);

/**
 * Describes the output tool to a model. A tool's input must be an object: a plain object schema is the input itself; any
 * other schema goes into the description, and its value under the key `output`.
 */
export function outputToolInput(
  schema: Readonly<Record<string, unknown>>,
  required: boolean,
): { input: Record<string, unknown>; description: string; extract: (given: unknown) => unknown } {
  const isPlain = schema['type'] === 'object' && Object.keys(schema).every((key) => plainKeywords.has(key));
  const need = required
    ? 'The session requires it: always call this tool before you end your turn.'
    : 'Call this tool before you end your turn, if you have an output.';
  const description = `Submits the output of this session: data for a program, in addition to your work and your summary. ${need} It must match the schema; otherwise the call reports the problems. A later call replaces the whole output.`;
  if (isPlain) return { input: { ...schema }, description, extract: (given) => given };
  return {
    input: { type: 'object', properties: { output: { description: 'The output itself.' } }, required: ['output'] },
    description: `${description}\n\nThe JSON Schema of \`output\`:\n${JSON.stringify(schema)}`,
    extract: (given) => Object(given).output ?? null,
  };
}
