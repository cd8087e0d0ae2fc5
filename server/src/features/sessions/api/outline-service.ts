import type { Static } from 'typebox';
import type { Actor } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { mostOfKind, type Outline } from '../schemas/outline-schemas.ts';
import {
  mostSaid,
  readFailed,
  readMarks,
  readPhases,
  readSaid,
  type PhaseRow,
  type SaidRow,
} from '../store/outline-store.ts';
import { requireStreamState } from './event-service.ts';

type Shape = Static<typeof Outline>;

/** Returns the turns and phases of a session's log, and its other important events. */
export async function sessionOutline(ctx: Pick<Context, 'db'>, caller: Actor, sessionId: string): Promise<Shape> {
  const { last_seq: lastSeq } = await requireStreamState(ctx, caller, sessionId);
  const place = { orgId: caller.organization.id, sessionId, lastSeq };
  const [said, phases, failed, marks] = await Promise.all([
    readSaid(ctx.db, place),
    readPhases(ctx.db, place),
    readFailed(ctx.db, place),
    readMarks(ctx.db, place),
  ]);
  const kept = { said: said.slice(0, mostSaid).toReversed(), phases: phases.slice(0, mostOfKind).toReversed() };
  const byKind = Map.groupBy([...failed, ...marks], ({ kind }) => kind);
  const others = [...byKind.values()].flatMap((rows) => rows.slice(0, mostOfKind));
  const sent = kept.said.filter(({ title }) => title !== '');
  return {
    turns: turnsOf(kept.said),
    phases: phasesOf(kept.phases),
    marks: [...sent.map(({ seq, title }) => ({ seq, kind: 'message' as const, title })), ...others].toSorted(
      (a, b) => a.seq - b.seq,
    ),
    last_seq: lastSeq,
    complete:
      said.length <= mostSaid &&
      phases.length <= mostOfKind &&
      failed.length <= mostOfKind &&
      [...byKind.values()].every((rows) => rows.length <= mostOfKind),
  };
}

/** Returns the turns: each begins when its first message is delivered. */
function turnsOf(events: readonly SaidRow[]): Shape['turns'] {
  const turns = new Map<number, Shape['turns'][number]>();
  const titles = new Map<string, string>();
  for (const { seq, turn, message_id: messageId, state, title, created_at: at } of events) {
    if (title !== '') titles.set(messageId, title);
    // The log of an earlier version does not tell when a message was delivered.
    if (state !== null && state !== 'delivered') continue;
    const number = Math.max(1, turn);
    if (turns.has(number)) continue;
    turns.set(number, { turn: number, seq, message_id: messageId, title: titles.get(messageId) ?? '', started_at: at });
  }
  return [...turns.values()];
}

/** Returns the phases: each begins with `running`, and ends with another status or with the next start of the same. */
function phasesOf(events: readonly PhaseRow[]): Shape['phases'] {
  const phases: Shape['phases'] = [];
  const open = new Map<string, Shape['phases'][number]>();
  for (const { seq, turn, name, status, summary, created_at: at } of events) {
    const before = open.get(name);
    open.delete(name);
    if (before !== undefined) Object.assign(before, { end_seq: seq, ended_at: at });
    if (status !== 'running' && before !== undefined) {
      Object.assign(before, { status, summary });
      continue;
    }
    const isOpen = status === 'running';
    const end = isOpen ? { end_seq: null, ended_at: null } : { end_seq: seq, ended_at: at };
    const phase = { name, status, summary, turn, seq, started_at: at, ...end };
    phases.push(phase);
    if (isOpen) open.set(name, phase);
  }
  return phases;
}
