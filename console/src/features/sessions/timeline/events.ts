import type { SessionEvent } from '@guildhall/client';
import { ApiError, apiOf, unwrap } from '../../../lib/api.ts';
import { queryClient } from '../../../lib/query.ts';
import { blockSize, rangeOf } from './window.ts';

const path = '/v3/organizations/{orgId}/sessions/{id}/events';

/** A part of a log; `firstKept` is there if earlier events are no longer kept. */
export interface EventBlock {
  events: SessionEvent[];
  firstKept?: number;
}

/** Reads a block. A full one, followed by at least one event, never changes and is read once. */
export function readBlock(org: string, id: string, block: number, lastSeq: number): Promise<EventBlock> {
  const { from, to } = rangeOf(block);
  if (lastSeq <= to) return readFrom(org, id, from, undefined);
  return queryClient.fetchQuery({
    queryKey: ['session-events', org, id, block],
    queryFn: () => readFrom(org, id, from, to),
    staleTime: 'static',
    gcTime: 120_000,
  });
}

async function readFrom(org: string, id: string, from: number, to: number | undefined): Promise<EventBlock> {
  const read = (after: number) => {
    const query = { after_seq: after, first: blockSize, ...(to === undefined ? {} : { before_seq: to + 1 }) };
    return unwrap(apiOf(org).GET(path, { params: { path: { id }, query } }));
  };
  try {
    return { events: (await read(from - 1)).items };
  } catch (error) {
    const firstKept = firstKeptOf(error);
    if (firstKept === undefined) throw error;
    if (to !== undefined && firstKept > to) return { events: [], firstKept };
    return { events: (await read(firstKept - 1)).items, firstKept };
  }
}

function firstKeptOf(error: unknown): number | undefined {
  if (!(error instanceof ApiError) || error.code !== 'stream_expired') return undefined;
  const { first_seq: first }: Partial<Record<string, unknown>> = Object(error.details);
  return typeof first === 'number' ? first : undefined;
}
