import type { Worker } from 'node:cluster';
import { Type } from 'typebox';
import { Value } from 'typebox/value';

/** The message of node:cluster that comes with a connection, and the answer of the process that took it. */
const Handover = Type.Object({ cmd: Type.Literal('NODE_CLUSTER'), act: Type.Literal('newconn'), seq: Type.Integer() });
const Answer = Type.Object({ cmd: Type.Literal('NODE_CLUSTER'), ack: Type.Integer() });

/**
 * Hands a connection that a process had not taken when it ended to another process. node:cluster forgets it and keeps it
 * open, so its client would wait without end.
 */
export function rescueConnections({ process: child }: Worker): void {
  const untaken = new Set<number>();
  const { send } = child;
  const noting = (...given: unknown[]): unknown => {
    const [message] = given;
    if (Value.Check(Handover, message)) untaken.add(message.seq);
    return Reflect.apply(send, child, given);
  };
  Reflect.set(child, 'send', noting);
  child.on('internalMessage', (message: unknown) => {
    if (Value.Check(Answer, message)) untaken.delete(message.ack);
  });
  // As a process answers that stops; not at `disconnect`, which never comes after a handover without an answer. node:cluster
  // heard of the end before, and chooses among the others.
  child.once('exit', () => {
    for (const ack of untaken) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false });
  });
}
