import { parseArgs, type ParseArgsConfig } from 'node:util';

/** Returns the flags of the command line. Ends the process with the usage if it was asked for, or if a flag is wrong. */
export function readFlags<const Options extends NonNullable<ParseArgsConfig['options']>>(
  usage: string,
  options: Options,
) {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean', default: false } } });
    if (!('help' in values) || values.help !== true) return values;
    process.stdout.write(`${usage}\n`);
    return process.exit(0);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}\n`);
    return process.exit(2);
  }
}
