// Checks an untrusted schema, or a value against one, in a program of its own, because a schema is executable. Reads a {@link
// Job} from standard input and writes its {@link Problem}s to standard output, both as JSON.
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { text } from 'node:stream/consumers';
import { pointerStep } from './json-pointer.ts';

const dialect = 'https://json-schema.org/draft/2020-12/schema';
const maxProblems = 10;
const maxMessageLength = 300;

interface Problem {
  path: string;
  message: string;
}

class Refused extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

const job: unknown = JSON.parse(await text(process.stdin));
const problems = judge(Object(job)).slice(0, maxProblems).map(shortened);
process.stdout.write(JSON.stringify(problems));

/** Checks the schema alone when `value` is absent. */
function judge(asked: { schema: object; value?: unknown }): Problem[] {
  try {
    const fits = compile(asked.schema);
    if (Object.hasOwn(asked, 'value')) return fits(asked.value) ? [] : distinct(fits.errors ?? []);
    // A schema that only refers to itself recurses endlessly with any value.
    for (const sample of [null, true, 0, '', [], {}]) fits(sample);
    return [];
  } catch (error) {
    if (error instanceof Refused) return [{ path: error.path, message: error.message }];
    if (error instanceof RangeError)
      return [{ path: '', message: 'refers to itself endlessly, or is nested too deep' }];
    return [{ path: '', message: `cannot be used: ${error instanceof Error ? error.message : String(error)}` }];
  }
}

function compile(schema: object): ValidateFunction {
  const named: unknown = Object(schema).$schema;
  if (named !== undefined && named !== dialect && named !== `${dialect}#`)
    throw new Refused('/$schema', `must be omitted or ${dialect}: other drafts are not supported`);
  const ajv = ajvFormats.default(
    // Inherited properties do not count. Unknown keywords are annotations.
    new Ajv2020({ strict: false, ownProperties: true, allErrors: true, logger: false, inlineRefs: false }),
  );
  if (ajv.validateSchema(schema) !== true) {
    const [first] = distinct(ajv.errors ?? []);
    throw new Refused(first?.path ?? '', first?.message ?? 'is not a JSON Schema');
  }
  try {
    const fits = ajv.compile(schema);
    if ('$async' in fits) throw new Refused('/$async', 'is not a supported keyword of JSON Schema');
    return fits;
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new Refused(placeOf(schema, isBrokenPattern) ?? '', `is not a valid regular expression: ${error.message}`);
    if (!(error instanceof Ajv2020.MissingRefError)) throw error;
    const { missingRef } = error;
    throw new Refused(
      placeOf(schema, (key, part) => isReference(key) && typeof part === 'string' && missingRef.endsWith(part)) ?? '',
      `refers to ${missingRef}, which is not in this schema. Remote references are not fetched`,
    );
  }
}

function isReference(key: string): boolean {
  return key === '$ref' || key === '$dynamicRef';
}

/** Checks the value of `pattern`, and each key of `patternProperties`. */
function isBrokenPattern(key: string, part: unknown, above: string): boolean {
  const pattern = above === 'patternProperties' ? key : key === 'pattern' ? part : undefined;
  if (typeof pattern !== 'string') return false;
  try {
    return RegExp(pattern, 'u').source === '';
  } catch {
    return true;
  }
}

/** Returns the JSON pointer of the first place that an error refers to. */
function placeOf(
  whole: unknown,
  isMeant: (key: string, part: unknown, above: string) => boolean,
  path = '',
  above = '',
): string | undefined {
  if (typeof whole !== 'object' || whole === null) return undefined;
  for (const [key, part] of Object.entries(whole)) {
    const place = `${path}${pointerStep(key)}`;
    if (isMeant(key, part, above)) return place;
    const found = placeOf(part, isMeant, place, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the first problem at each place. */
function distinct(errors: readonly ErrorObject[]): Problem[] {
  const byPath = new Map<string, Problem>();
  for (const error of errors) {
    const problem = toProblem(error);
    if (!byPath.has(problem.path)) byPath.set(problem.path, problem);
  }
  return [...byPath.values()];
}

function toProblem({ instancePath, keyword, params, message = 'is not valid' }: ErrorObject): Problem {
  const { additionalProperty, unevaluatedProperty, missingProperty, allowedValues, allowedValue } = Object(params);
  const unknownKey: unknown = additionalProperty ?? unevaluatedProperty;
  if (typeof unknownKey === 'string')
    return { path: `${instancePath}${pointerStep(unknownKey)}`, message: 'is not a known key' };
  if (keyword === 'required')
    return { path: `${instancePath}${pointerStep(String(missingProperty))}`, message: 'is required' };
  if (keyword === 'enum') return { path: instancePath, message: `must be one of ${JSON.stringify(allowedValues)}` };
  if (keyword === 'const') return { path: instancePath, message: `must be ${JSON.stringify(allowedValue)}` };
  return { path: instancePath, message };
}

function shortened({ path, message }: Problem): Problem {
  return { path: cut(path), message: cut(message) };
}

function cut(words: string): string {
  return words.length > maxMessageLength ? `${words.slice(0, maxMessageLength).toWellFormed()}…` : words;
}
