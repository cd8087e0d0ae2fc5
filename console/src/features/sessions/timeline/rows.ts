import type { SessionEvent } from '@guildhall/client';
import type { Clip } from './clip.ts';

type DataOf<Kind extends SessionEvent['kind']> = Extract<SessionEvent, { kind: Kind }>['data'];

type Sender = { by: NonNullable<DataOf<'message'>['created_by']>; attachments: readonly string[] };

/** What each kind of row knows; a part that the events so far do not have is undefined. */
export interface Parts {
  message: {
    role: DataOf<'message'>['role'];
    /** The sender of a message of a user, where the log says it. */
    from: Sender | undefined;
    text: Clip;
    isDone: boolean;
    state: DataOf<'message'>['state'];
  };
  thought: { text: Clip; isDone: boolean; endedAt: string };
  call: { call?: DataOf<'tool_call'> | undefined; result?: DataOf<'tool_result'> | undefined; endedAt: string };
  command: { command?: DataOf<'command'> | undefined; callId: string; output: Clip };
  plan: DataOf<'plan'>;
  approval: DataOf<'approval'> & { request: string };
  phase: DataOf<'phase'> & { endedAt: string };
  provisioning: DataOf<'provisioning'>;
  file: DataOf<'file_change'>;
  status: DataOf<'status'>;
  usage: DataOf<'usage'>;
  budget: DataOf<'budget'>;
  warning: DataOf<'warning'>;
  checkpoint: DataOf<'checkpoint'>;
  branch: DataOf<'branch_pushed'>;
  change_request: DataOf<'change_request'>;
  artifact: DataOf<'artifact'>;
  child: DataOf<'child'>;
  structured_output: DataOf<'structured_output'>;
  error: DataOf<'error'>;
}

/** Where a row stands. */
export interface Place {
  /** Names the entity, so that a row keeps its key when more of it comes. */
  key: string;
  /** Of its first and its last event. */
  seq: number;
  lastSeq: number;
  at: string;
  turn: number;
  phase: SessionEvent['phase'];
}

/** A thing that a reader would name: a message, a call, a command, a phase. */
export type Row = { [Kind in keyof Parts]: Place & { kind: Kind; is: Parts[Kind] } }[keyof Parts];
export type RowOf<Kind extends keyof Parts> = Extract<Row, { kind: Kind }>;
