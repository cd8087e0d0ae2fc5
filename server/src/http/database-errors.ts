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

/** Maps a database failure to a response; undefined for a defect of ours. */
export function databaseFailure(error: unknown, request: FastifyRequest): Answer | undefined {
  if (!isDatabaseAway(error)) return collision(error);
  logOutage(() => request.log.error({ reason: messageOf(error) }, 'the database is unreachable; requests get 503'));
  return {
    status: 503,
    error: 'capacity_unavailable',
    message: 'The database is temporarily unavailable. Try again in a few seconds.',
    details: { retry_after_seconds: 2 },
  };
}

/** Logged once for an outage, which fails every request of a process. */
const logOutage = atMostEvery(10_000);

/**
 * Maps conflicts of concurrent requests by PostgreSQL's SQLSTATE: the referenced row was deleted, both created the same, a
 * deadlock, or a timeout.
 */
function collision(error: unknown): Answer | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case '23503':
      return { status: 409, error: 'conflict', message: 'A concurrent request deleted the parent resource.' };
    case '23505':
      return {
        status: 409,
        error: 'conflict',
        message: 'A concurrent request created the same resource. Retry.',
      };
    case '40001':
    case '40P01':
      return { status: 503, error: 'capacity_unavailable', message: 'Concurrent requests are in conflict. Retry.' };
    case '57014':
      return {
        status: 503,
        error: 'capacity_unavailable',
        message: 'The database query timed out. Narrow the request, or try again later.',
      };
    default:
      return undefined;
  }
}
