import { leaseMs } from '../features/sessions/run/run-service.ts';

/** A worker's intervals, in milliseconds. All workers of an installation must have the same. */
export interface WorkerTimings {
  /** Lifetime of a lease without a heartbeat. */
  leaseMs: number;
  /** Well below `leaseMs`: some heartbeats may be lost. */
  heartbeatMs: number;
  /** Interval of polls for sessions without a notification. */
  pollMs: number;
}

/** Production values; tests use shorter ones. */
export const workerTimings: Readonly<WorkerTimings> = { leaseMs, heartbeatMs: 3_000, pollMs: 2_000 };

/** Times of people's terminals, in milliseconds. */
export interface TerminalTimings {
  /** Without input for this long, a terminal ends. */
  idleMs: number;
}

/** Production values; tests use shorter ones. */
export const terminalTimings: Readonly<TerminalTimings> = { idleMs: 30 * 60_000 };
