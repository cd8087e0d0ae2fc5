import { fileURLToPath } from 'node:url';
import { AppError } from './errors.ts';
import { isNestedDeeper, unkeepable } from './json-limits.ts';
import type { SchemaProblem } from './schema-problems.ts';
import { createSemaphore } from './semaphore.ts';

/** The maximum size of a schema, and of a value checked against one, as JSON text. */
const maxSchemaBytes = 65_536;
export const maxValueBytes = 262_144;
const maxDepth = 64;

/** CPU time, not clock time: a busy machine causes no failures. */
const cpuSeconds = 2;
const memoryMb = 128;
/** The limit when the process cannot even start. */
const timeoutMs = 60_000;

/**
 * Returns the problems of a JSON Schema (draft 2020-12); `[]` when it is valid. Schemas are untrusted and executable, so they
 * are compiled in a process with limits and without rights. Throws 503 `capacity_unavailable` when too many checks are in
 * progress.
 */
export async function problemsOfSchema(schema: object): Promise<SchemaProblem[]> {
  const plain = plainProblem(schema, maxSchemaBytes);
  return plain === undefined ? judge({ schema }, 'its references and alternatives multiply') : [plain];
}

/**
 * Returns the problems of a JSON value under a schema that passed {@link problemsOfSchema}; `[]` when it is valid. Throws the
 * same errors.
 */
export async function problemsOfValue(schema: object, value: unknown): Promise<SchemaProblem[]> {
  const plain = plainProblem(value, maxValueBytes);
  return plain === undefined
    ? judge({ schema, value }, 'a pattern or a reference of the schema is too slow for it')
    : [plain];
}

/** Checks the rules that do not depend on the schema and must hold before any other step. */
function plainProblem(value: unknown, maxBytes: number): SchemaProblem | undefined {
  if (isNestedDeeper(value, maxDepth)) return { path: '', message: `is nested deeper than ${maxDepth} levels` };
  const found = unkeepable(value);
  if (found !== undefined) return found;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  return bytes > maxBytes ? { path: '', message: `is larger than ${maxBytes / 1_024} KiB` } : undefined;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const program = fileURLToPath(new URL('json-schema-program.ts', import.meta.url));
const command = [
  '-c',
  `ulimit -t ${cpuSeconds}; ulimit -c 0; exec "$0" "$@"`,
  process.execPath,
  '--permission',
  ...['node_modules', 'server/src/lib', 'server/package.json', 'package.json'].map(
    (path) => `--allow-fs-read=${root}${path}`,
  ),
  `--max-old-space-size=${memoryMb}`,
  '--max-semi-space-size=4',
  program,
];

/** Slow checks use at most two processors and a bounded amount of memory. */
const judgements = createSemaphore(
  2,
  64,
  () => new AppError('capacity_unavailable', 'Too many schemas are being checked. Try again in a few seconds.'),
);

async function judge(job: { schema: object; value?: unknown }, slow: string): Promise<SchemaProblem[]> {
  // Loaded here, because a server that starts needs none of it.
  const { execa } = await import('execa');
  const { exitCode, signal, stdout, timedOut } = await judgements.run(() =>
    execa('/bin/sh', command, {
      input: JSON.stringify(job),
      env: {},
      extendEnv: false,
      stderr: 'ignore',
      maxBuffer: 65_536,
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      reject: false,
    }),
  );
  if (exitCode === 0) return readProblems(stdout);
  if (timedOut || signal === 'SIGKILL' || signal === 'SIGXCPU')
    return [{ path: '', message: `takes longer than ${cpuSeconds} s to check: ${slow}` }];
  if (signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL')
    return [{ path: '', message: `takes more than ${memoryMb} MiB of memory to check: ${slow}` }];
  throw new Error(`The JSON Schema checker ended with ${signal ?? `exit code ${exitCode ?? 'none'}`}.`);
}

function readProblems(text: string): SchemaProblem[] {
  const read: unknown = JSON.parse(text);
  if (!Array.isArray(read)) throw new Error('The JSON Schema checker sent an invalid response.');
  return read.map((one) => ({ path: String(Object(one).path), message: String(Object(one).message) }));
}
