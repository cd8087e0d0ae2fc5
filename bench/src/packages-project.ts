import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PackageProject {
  packages: number;
  manifest: string;
  /** As npm writes it: with the address of each package. */
  lockfile: string;
  /** As npm writes it with `omit-lockfile-registry-resolved`: npm asks the registry for the page of each package. */
  lockfileWithoutAddresses: string;
}

interface Locked {
  version?: string;
  resolved?: string;
  integrity?: string;
  name?: string;
  os?: string[];
  cpu?: string[];
}

/**
 * Makes a project of at most `most` of the packages that this repository installs. `registry` is the URL of the host's npm
 * registry.
 */
export function packageProject(root: string, registry: string, most: number): PackageProject {
  const chosen = choose(root, most);
  const dependencies = Object.fromEntries([...chosen].map(([name, { version }]) => [name, version]));
  const head = { name: 'installed', version: '1.0.0' };
  const lockfile = (resolved: (name: string, version: string) => string | undefined): string => {
    const entries = [...chosen].map(([name, { version = '', integrity }]) => [
      `node_modules/${name}`,
      { version, resolved: resolved(name, version), integrity },
    ]);
    const packages = { '': { ...head, dependencies }, ...Object.fromEntries(entries) };
    return JSON.stringify({ ...head, lockfileVersion: 3, requires: true, packages }, null, 2);
  };
  const base = registry.replace(/\/$/, '');
  return {
    packages: chosen.size,
    manifest: JSON.stringify({ ...head, dependencies }, null, 2),
    lockfile: lockfile((name, version) => `${base}/${name}/-/${name.replace(/^.*\//, '')}-${version}.tgz`),
    lockfileWithoutAddresses: lockfile(() => undefined),
  };
}

/** Leaves out packages under another name, those of one platform, and Node itself, which is as large as all others. */
function choose(root: string, most: number): Map<string, Locked> {
  const lock: { packages: Record<string, Locked> } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const chosen = new Map<string, Locked>();
  for (const [path, entry] of Object.entries(lock.packages)) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    const { version, integrity, name: other, os, cpu } = entry;
    if (name === undefined || version === undefined || integrity === undefined || name === 'node') continue;
    if (other === undefined && os === undefined && cpu === undefined && chosen.size < most) chosen.set(name, entry);
  }
  return chosen;
}

export function writeProject(directory: string, manifest: string, lockfile: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), manifest);
  writeFileSync(join(directory, 'package-lock.json'), lockfile);
}
