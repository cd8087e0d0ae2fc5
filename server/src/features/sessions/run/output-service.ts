import { problemsOfSchema } from '../../../lib/json-schema.ts';
import { inFence, type RunContext } from './run-service.ts';
import type { Run } from '../store/run.ts';
import type { CreateSession } from '../schemas/session-schemas.ts';
import { FieldError } from '../../../lib/field-error.ts';

/** Throws 400 `invalid_request`, which names the place, if the schema of a session's output is invalid or missing. */
export async function requireOutputSchema({
  structured_output_schema: schema,
  structured_output_required: required,
}: Pick<CreateSession, 'structured_output_schema' | 'structured_output_required'>): Promise<void> {
  const missing = { path: '', message: 'is required if structured_output_required is true' };
  const problems = schema === undefined ? (required === true ? [missing] : []) : await problemsOfSchema(schema);
  if (problems.length === 0) return;
  throw new FieldError(problems.map(({ path, message }) => ({ path: `/structured_output_schema${path}`, message })));
}

/** Stores a session's output in place of an earlier one. Throws `LeaseLost`. */
export async function recordOutput(ctx: RunContext, run: Run, value: unknown): Promise<void> {
  await inFence(ctx, run, { structured_output: JSON.stringify(value) }, [
    { kind: 'structured_output', phase: 'implement', data: { value } },
  ]);
}
