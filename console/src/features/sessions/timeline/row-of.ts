import type { SessionEvent } from '@guildhall/client';
import { clipOf, emptyClip } from './clip.ts';
import type { Place, Row } from './rows.ts';

/** Returns the row of one event; {@link joinRows} makes one of those with the same key. */
export function rowOf(event: SessionEvent): Row {
  const { seq, created_at: at, turn, phase } = event;
  const place = (key: string): Place => ({ key, seq, lastSeq: seq, at, turn, phase });
  switch (event.kind) {
    case 'message': {
      const { message_id: id, role, delta, done, state, created_by: by, attachment_ids: attachments = [] } = event.data;
      const from = by === undefined ? undefined : { by, attachments };
      return { ...place(`msg:${id}`), kind: 'message', is: { role, from, text: clipOf(delta), isDone: done, state } };
    }
    case 'thought': {
      const { message_id: id, delta, done } = event.data;
      return { ...place(`tho:${id}`), kind: 'thought', is: { text: clipOf(delta), isDone: done, endedAt: at } };
    }
    case 'tool_call':
      return { ...place(`call:${event.data.call_id}`), kind: 'call', is: { call: event.data, endedAt: '' } };
    case 'tool_result':
      return { ...place(`call:${event.data.call_id}`), kind: 'call', is: { result: event.data, endedAt: at } };
    case 'command': {
      const { command_id: id, call_id: callId } = event.data;
      return { ...place(`cmd:${id}`), kind: 'command', is: { command: event.data, callId, output: emptyClip } };
    }
    case 'output': {
      const { command_id: id, call_id: callId, text } = event.data;
      return { ...place(`cmd:${id}`), kind: 'command', is: { callId, output: clipOf(text) } };
    }
    case 'plan':
      return { ...place(`plan:${turn}`), kind: 'plan', is: event.data };
    case 'approval': {
      const { approval_id: id, state, summary } = event.data;
      const request = state === 'pending' ? summary : '';
      return { ...place(`apr:${id}`), kind: 'approval', is: { ...event.data, request } };
    }
    case 'phase': {
      const { name, status } = event.data;
      const endedAt = status === 'running' ? '' : at;
      return { ...place(`phase:${turn}:${event.attempt_no}:${name}`), kind: 'phase', is: { ...event.data, endedAt } };
    }
    case 'provisioning': {
      const { step, subject } = event.data;
      return { ...place(`prov:${turn}:${event.attempt_no}:${step}:${subject}`), kind: 'provisioning', is: event.data };
    }
    case 'file_change':
    case 'branch_pushed':
    case 'status':
    case 'usage':
    case 'budget':
    case 'warning':
    case 'checkpoint':
    case 'change_request':
    case 'artifact':
    case 'child':
    case 'structured_output':
    case 'error':
      return singleRow(event, place(`ev:${seq}`));
  }
}

type Merged =
  | 'message'
  | 'thought'
  | 'tool_call'
  | 'tool_result'
  | 'command'
  | 'output'
  | 'plan'
  | 'approval'
  | 'phase'
  | 'provisioning';

/** Returns the row of an event that is a row by itself. */
function singleRow(event: Exclude<SessionEvent, { kind: Merged }>, place: Place): Row {
  switch (event.kind) {
    case 'file_change':
      return { ...place, kind: 'file', is: event.data };
    case 'branch_pushed':
      return { ...place, kind: 'branch', is: event.data };
    case 'status':
      return { ...place, kind: 'status', is: event.data };
    case 'usage':
      return { ...place, kind: 'usage', is: event.data };
    case 'budget':
      return { ...place, kind: 'budget', is: event.data };
    case 'warning':
      return { ...place, kind: 'warning', is: event.data };
    case 'checkpoint':
      return { ...place, kind: 'checkpoint', is: event.data };
    case 'change_request':
      return { ...place, kind: 'change_request', is: event.data };
    case 'artifact':
      return { ...place, kind: 'artifact', is: event.data };
    case 'child':
      return { ...place, kind: 'child', is: event.data };
    case 'structured_output':
      return { ...place, kind: 'structured_output', is: event.data };
    case 'error':
      return { ...place, kind: 'error', is: event.data };
  }
}
