import { git } from './native.ts';

let asked: Promise<string> | undefined;

/**
 * Whether the host's git goes to the addresses that were checked (`http.curloptResolve`). One before 2.37 ignores that
 * without a word, and would ask for the name once more.
 */
export async function pinsAddresses(version = versionOfGit()): Promise<boolean> {
  const [, major = '0', minor = '0'] = /(\d{1,4})\.(\d{1,4})/.exec(await version) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 37);
}

async function versionOfGit(): Promise<string> {
  asked ??= git(['--version']).then(({ stdout }) => stdout);
  return asked;
}
