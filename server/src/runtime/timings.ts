import { leaseMs } from '../features/sessions/run/run-service.ts';

/** How long a worker waits for what, in milliseconds. All workers of an installation have the same. */
export interface WorkerTimings {
  /** How long a lease holds without a heartbeat. */
  leaseMs: number;
  /** Well below a lease: some may not come through. */
  heartbeatMs: number;
  /** How often it looks for sessions that nobody told it of. */
  pollMs: number;
}

/** Those of the product. */
export const workerTimings: Readonly<WorkerTimings> = { leaseMs, heartbeatMs: 3_000, pollMs: 2_000 };
