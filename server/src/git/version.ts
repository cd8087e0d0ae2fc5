import { git } from './native.ts';

const oldest = { major: 2, minor: 38 };

/**
 * Returns the reason why the host's git is unusable; `''` otherwise. Before 2.38, git cannot merge without a work tree, and
 * silently ignores our settings for fsync (2.36) and checked addresses (2.37).
 */
export async function gitProblem(version = versionOfGit()): Promise<string> {
  const said = (await version).trim();
  const [, major = '0', minor = '0'] = /(\d{1,4})\.(\d{1,4})/.exec(said) ?? [];
  if (Number(major) > oldest.major || (Number(major) === oldest.major && Number(minor) >= oldest.minor)) return '';
  return `Git ${oldest.major}.${oldest.minor} or later is required, but ${said === '' ? 'git was not found' : `${said} was found`}. Put a newer version first in PATH.`;
}

async function versionOfGit(): Promise<string> {
  return (await git(['--version'])).stdout;
}
