/** What only objects that are described key by key have at their top; whatever else there is says more about them. */
const plainKeywords: ReadonlySet<string> = new Set(
  '$schema $defs type title description properties required additionalProperties patternProperties propertyNames minProperties maxProperties examples example default'.split(
    ' ',
  ),
);

/**
 * How a model is asked for an output. Models take an object as a tool's input: a schema of one is the input itself, any
 * other stands in the description, and its value below the key `output`.
 */
export function inputOf(
  schema: Readonly<Record<string, unknown>>,
  required: boolean,
): { input: Record<string, unknown>; description: string; valueOf: (given: unknown) => unknown } {
  const isPlain = schema['type'] === 'object' && Object.keys(schema).every((key) => plainKeywords.has(key));
  const need = required
    ? 'Your session needs it: call this tool before you end, also when the work itself is done.'
    : 'Call this tool when you have it, before you end.';
  const description = `Hands in the output of this session: data for a program, beside your work and your summary. ${need} It has to fit the schema; you are told what does not. A later call replaces the output, so give all of it each time.`;
  if (isPlain) return { input: { ...schema }, description, valueOf: (given) => given };
  return {
    input: { type: 'object', properties: { output: { description: 'The output itself.' } }, required: ['output'] },
    description: `${description}\n\nThe JSON Schema of \`output\`:\n${JSON.stringify(schema)}`,
    valueOf: (given) => Object(given).output ?? null,
  };
}
