import { acquireDataLock } from '../../src/lib/data-lock.ts';

/** Holds the lock of a data directory until it is killed. */
acquireDataLock(process.argv[2] ?? '');
process.stdout.write(`${JSON.stringify({ locked: process.pid })}\n`);
setInterval(() => undefined, 60_000);
