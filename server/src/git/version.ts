import { git } from './native.ts';

const oldest = { major: 2, minor: 38 };

/**
 * Why the host's git will not do; `''` when it will. One before 2.38 cannot merge without a work tree, and ignores without a word
 * that what was acknowledged has to be on the disk (2.36), and which addresses were checked (2.37).
 */
export async function gitProblem(version = versionOfGit()): Promise<string> {
  const said = (await version).trim();
  const [, major = '0', minor = '0'] = /(\d{1,4})\.(\d{1,4})/.exec(said) ?? [];
  if (Number(major) > oldest.major || (Number(major) === oldest.major && Number(minor) >= oldest.minor)) return '';
  return `Git ${oldest.major}.${oldest.minor} or newer is needed, and this is ${said === '' ? 'none' : said}. Put a newer one first in PATH.`;
}

async function versionOfGit(): Promise<string> {
  return (await git(['--version'])).stdout;
}
