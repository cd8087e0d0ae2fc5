/** A violation as a JSON Schema validator reports it. */
export interface Violation {
  keyword: string;
  params: object;
  /** The schema with the keyword, where known: its `x-form` describes a `pattern` in words. */
  schema?: unknown;
  /** The validator's own message. */
  message?: string | undefined;
}

const kinds: Record<string, string> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

const formats: Record<string, string> = {
  'date-time': 'a date and time such as 2026-01-31T09:00:00Z',
  date: 'a date such as 2026-01-31',
  email: 'an e-mail address',
  uri: 'a URL',
};

/** Returns a phrase without a subject that says what the value must be. */
export function describeViolation({ keyword, params, schema, message }: Violation): string {
  const limit: unknown = Reflect.get(params, 'limit');
  switch (keyword) {
    case 'type':
      return `must be ${[Reflect.get(params, 'type')].flat().map(kindOf).join(' or ')}`;
    case 'minLength':
      return isName(schema) ? 'must not be blank' : `must have at least ${counted(limit, 'character')}`;
    case 'maxLength':
      return `must have at most ${counted(limit, 'character')}`;
    case 'minItems':
      return `must have at least ${counted(limit, 'item')}`;
    case 'maxItems':
      return `must have at most ${counted(limit, 'item')}`;
    case 'minProperties':
      return `must have at least ${counted(limit, 'field')}`;
    case 'maxProperties':
      return `must have at most ${counted(limit, 'field')}`;
    case 'minimum':
      return `must be at least ${String(limit)}`;
    case 'maximum':
      return `must be at most ${String(limit)}`;
    case 'exclusiveMinimum':
      return `must be more than ${String(limit)}`;
    case 'exclusiveMaximum':
      return `must be less than ${String(limit)}`;
    case 'uniqueItems':
      return 'must not contain the same item twice';
    case 'enum':
      return `must be one of ${listOf(Reflect.get(params, 'allowedValues')).join(', ')}`;
    case 'format':
      return `must be ${formats[String(Reflect.get(params, 'format'))] ?? 'of another form'}`;
    case 'pattern':
      return `must be ${formOf(schema) ?? `of the form ${String(Reflect.get(params, 'pattern'))}`}`;
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not a known key';
    default:
      return message ?? 'is not valid';
  }
}

function kindOf(type: unknown): string {
  return kinds[String(type)] ?? String(type);
}

function counted(limit: unknown, thing: string): string {
  return `${String(limit)} ${thing}${limit === 1 ? '' : 's'}`;
}

function listOf(values: unknown): string[] {
  return Array.isArray(values) ? values.map((value) => (value === '' ? '""' : String(value))) : [];
}

function formOf(schema: unknown): string | undefined {
  const form: unknown = typeof schema === 'object' && schema !== null ? Reflect.get(schema, 'x-form') : undefined;
  return typeof form === 'string' ? form : undefined;
}

/** Returns the known word that was probably meant; undefined when none is close. */
export function closest(word: string, known: readonly string[]): string | undefined {
  if (word.length > 64) return undefined;
  const most = word.length < 4 ? 1 : word.length < 8 ? 2 : 3;
  const near = known
    .map((candidate) => ({ candidate, distance: distanceOf(word.toLowerCase(), candidate.toLowerCase(), most) }))
    .filter(({ distance }) => distance <= most)
    .toSorted((one, other) => one.distance - other.distance);
  return near[0]?.candidate;
}

/**
 * Returns the edit distance: insertions, deletions, replacements and swaps of neighbours. Anything above `most` counts as more.
 */
function distanceOf(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let before: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      const swapped = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      line.push(
        Math.min(
          (above[column] ?? 0) + 1,
          (line[column - 1] ?? 0) + 1,
          (above[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (before[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    before = above;
    above = line;
  }
  return above[other.length] ?? most + 1;
}

/** A name whose white space was removed, so that a blank one is empty. */
function isName(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && Reflect.get(schema, 'x-line') === true;
}
