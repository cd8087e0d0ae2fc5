import type { FastifyRequest } from 'fastify';
import { isDatabaseAway } from '../db/outage.ts';
import { messageOf } from '../lib/errors.ts';
import { atMostEvery } from '../lib/rarely.ts';

interface Answer {
  status: number;
  error: string;
  message: string;
  details?: Record<string, unknown>;
}

/** What a failure of the database is to the caller; undefined for one that is a defect of ours. */
export function databaseFailure(error: unknown, request: FastifyRequest): Answer | undefined {
  if (!isDatabaseAway(error)) return collision(error);
  tell(() => request.log.error({ reason: messageOf(error) }, 'the database does not answer; requests get 503'));
  return {
    status: 503,
    error: 'capacity_unavailable',
    message: 'The database does not answer at the moment. Try again in a few seconds.',
    details: { retry_after_seconds: 2 },
  };
}

/** An outage fails every request of a process, and one line says so. */
const tell = atMostEvery(10_000);

/**
 * Two requests that met in the database, by PostgreSQL's SQLSTATE: what one refers to was deleted by the other after it
 * was looked at, both made the same, or they waited for each other; or one that the database gave up after its time.
 */
function collision(error: unknown): Answer | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case '23503':
      return { status: 409, error: 'conflict', message: 'What this belongs to was deleted at the same time.' };
    case '23505':
      return {
        status: 409,
        error: 'conflict',
        message: 'The same was made at the same time. Look at it, or try again.',
      };
    case '40001':
    case '40P01':
      return { status: 503, error: 'capacity_unavailable', message: 'Other requests were in the way. Try again.' };
    case '57014':
      return {
        status: 503,
        error: 'capacity_unavailable',
        message: 'The database took too long. Ask for less, or later.',
      };
    default:
      return undefined;
  }
}
