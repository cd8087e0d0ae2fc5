import { parseArgs } from 'node:util';
import { messageOf } from '../lib/errors.ts';
import { UsageError } from './values.ts';

export const usage = `Usage: npm start -- [options]

  --port <port>       the port of the API (default: 7420; 0: a free port)
  --data <directory>  the data directory (default: ./data)
  --role <role>       all, api or worker (default: all)
  --processes <n>     the number of processes side by side, or auto (default: auto)
  --json              prints the ready line and the log as JSON
  --stop-with-stdin   drains, as for SIGTERM, when standard input ends
  --help, --version

Everything else is set by environment variables: see docs/operations.md.
`;

interface Flags {
  port?: string;
  data?: string;
  role?: string;
  processes?: string;
  json?: boolean;
  'stop-with-stdin'?: boolean;
}

/** Reads the arguments. Throws {@link UsageError}, with the usage. */
export function readFlags(args: string[]): Flags {
  try {
    const options = {
      port: { type: 'string' },
      data: { type: 'string' },
      role: { type: 'string' },
      processes: { type: 'string' },
      json: { type: 'boolean' },
      'stop-with-stdin': { type: 'boolean' },
    } as const;
    return parseArgs({ args, options, strict: true }).values;
  } catch (error) {
    throw new UsageError(`${messageOf(error)}.\n\n${usage}`);
  }
}
