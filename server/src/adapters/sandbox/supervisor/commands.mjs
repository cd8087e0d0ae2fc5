// The commands of a sandbox: started in a session of their own, followed within a window, ended with all they started.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import { openPipe } from './pipes.mjs';
import { countThreads, endStrays, groupsOf, preferOutOfMemory, signalGroups } from './processes.mjs';

/** Bytes of one stream that may be on their way to the worker; a program that prints more waits, as on any pipe. */
const windowBytes = 256 * 1024;
/** After a program ended: how long its streams may stay silent, and how much they may still bring, before it is reported. */
const graceMs = 50;
const graceBytes = 1024 * 1024;
/** And how long at all, though something that it left behind goes on printing. */
const longestGraceMs = 300;
const killAfterMs = 1000;

const runs = new Map();
/** Threads that fit into the sandbox; 0 when nobody looks after them. */
let roomFor = 0;

export function limitThreads(count) {
  roomFor = count;
}

/** Ends processes that earlier commands left in the background if the next command needs their slots. */
function makeRoom(send) {
  if (roomFor === 0 || countThreads() < roomFor * 0.75) return;
  const count = endStrays([...runs.values()].map((run) => run.child.pid));
  if (count === 0) return;
  send({
    event: 'notice',
    text: `${count} processes that earlier commands had left behind were ended: no more than ${roomFor} fit into the sandbox.`,
  });
}

export function start(message, baseEnv, send) {
  const { id, command, cwd, env, timeout_ms: timeoutMs } = message;
  makeRoom(send);
  const fds = [];
  try {
    if (!fs.statSync(cwd).isDirectory()) throw new Error(`${cwd} is not a directory`);
    const input = message.stdin ? openPipe() : { read: fs.openSync('/dev/null', 'r') };
    fds.push(input.read);
    if (input.write !== undefined) fds.push(input.write);
    const output = openPipe();
    fds.push(output.read, output.write);
    const errors = openPipe();
    fds.push(errors.read, errors.write);
    const child = spawn(command[0], command.slice(1), {
      cwd,
      env: { ...baseEnv, ...env },
      detached: true,
      stdio: [input.read, output.write, errors.write],
    });
    preferOutOfMemory(child.pid);
    for (const fd of [input.read, output.write, errors.write]) fs.closeSync(fd);
    track({ id, child, timeoutMs, input: input.write, output: output.read, errors: errors.read, send });
  } catch (error) {
    for (const fd of fds) fs.closeSync(fd);
    send({ event: 'failed', id, code: String(error.code ?? 'EIO'), message: error.message });
  }
}

function track({ id, child, timeoutMs, input, output, errors, send }) {
  const run = {
    id,
    child,
    send,
    startedAt: performance.now(),
    timedOut: false,
    ended: undefined,
    reportBy: 0,
    stdin: input === undefined ? undefined : new net.Socket({ fd: input, readable: false, writable: true }),
    streams: [],
    timer: undefined,
    graceTimer: undefined,
    graceLeft: graceBytes,
  };
  runs.set(id, run);
  run.streams.push(follow(run, 1, output), follow(run, 2, errors));
  // A program that closes its input early is its own affair.
  run.stdin?.on('error', () => {});
  if (timeoutMs > 0) {
    run.timer = setTimeout(() => {
      run.timedOut = true;
      const groups = groupsOf(child.pid);
      signalGroups(groups, 'SIGTERM');
      run.timer = setTimeout(() => signalGroups(new Set([...groups, ...groupsOf(child.pid)]), 'SIGKILL'), killAfterMs);
      run.groups = groups;
    }, timeoutMs);
  }
  child.on('spawn', () => send({ event: 'started', id, pid: child.pid }));
  child.on('error', (error) => {
    if (child.pid !== undefined) return;
    forget(run);
    send({ event: 'failed', id, code: String(error.code ?? 'EIO'), message: error.message });
  });
  child.on('exit', (code, signal) => {
    if (run.timedOut) signalGroups(run.groups, 'SIGKILL');
    run.ended = { code, signal };
    run.reportBy = performance.now() + longestGraceMs;
    settle(run);
  });
}

/** Reads one stream of a program, never further ahead of the worker than the window. */
function follow(run, number, fd) {
  const socket = new net.Socket({ fd, readable: true, writable: false });
  const stream = { socket, unacknowledged: 0, open: true };
  socket.on('data', (chunk) => {
    if (!runs.has(run.id)) return;
    stream.unacknowledged += chunk.length;
    run.send({ event: 'output', id: run.id, stream: number, data: chunk.toString('base64') });
    if (stream.unacknowledged >= windowBytes) socket.pause();
    if (run.ended !== undefined) {
      run.graceLeft -= chunk.length;
      settle(run);
    }
  });
  const closed = () => {
    stream.open = false;
    settle(run);
  };
  socket.on('end', closed);
  socket.on('error', closed);
  return stream;
}

/** Reports the end of a run once its streams closed, or stayed silent: a background process may hold them for ever. */
function settle(run) {
  clearTimeout(run.graceTimer);
  if (run.ended === undefined || !runs.has(run.id)) return;
  const open = run.streams.filter((stream) => stream.open);
  if (open.length === 0 || run.graceLeft <= 0) {
    report(run);
  } else if (open.some((stream) => stream.socket.isPaused())) {
    // The worker is behind, which is no silence.
    run.reportBy = performance.now() + longestGraceMs;
  } else {
    const leftMs = run.reportBy - performance.now();
    if (leftMs <= 0) report(run);
    else run.graceTimer = setTimeout(() => report(run), Math.min(graceMs, leftMs));
  }
}

function report(run) {
  forget(run);
  run.send({
    event: 'exit',
    id: run.id,
    code: run.ended.code,
    signal: run.ended.signal,
    timed_out: run.timedOut,
    duration_ms: performance.now() - run.startedAt,
  });
}

/** Forgets a run. Its background processes may still print, so its streams are read and discarded. */
function forget(run) {
  clearTimeout(run.timer);
  clearTimeout(run.graceTimer);
  runs.delete(run.id);
  run.stdin?.destroy();
  for (const stream of run.streams) stream.socket.resume();
}

export function takeInput({ id, data }, send) {
  const bytes = Buffer.from(data, 'base64');
  const taken = () => send({ event: 'stdin_taken', id, bytes: bytes.length });
  const stdin = runs.get(id)?.stdin;
  if (stdin === undefined || stdin.destroyed) taken();
  else stdin.write(bytes, taken);
}

export function endInput({ id }) {
  const stdin = runs.get(id)?.stdin;
  // A pipe has no half to shut down, unlike the sockets that Node expects here: only closing it ends the input.
  stdin?.end(() => stdin.destroy());
}

/** The worker has dealt with that many bytes of a stream. */
export function acknowledge({ id, stream: number, bytes }) {
  const run = runs.get(id);
  const stream = run?.streams[number - 1];
  if (stream === undefined) return;
  stream.unacknowledged -= bytes;
  if (stream.unacknowledged < windowBytes && stream.socket.isPaused()) {
    stream.socket.resume();
    settle(run);
  }
}

export function signalRun({ id, signal }) {
  const run = runs.get(id);
  if (run !== undefined && run.ended === undefined) signalGroups(groupsOf(run.child.pid), signal);
}

export function killAll() {
  for (const run of runs.values()) signalGroups(groupsOf(run.child.pid), 'SIGKILL');
}
