import { lockDataDirectory } from '../../src/lib/file-lock.ts';

/** Holds the lock of a data directory until it is killed. */
await lockDataDirectory(process.argv[2] ?? '');
process.stdout.write(`${JSON.stringify({ locked: process.pid })}\n`);
setInterval(() => undefined, 60_000);
