import { fieldError } from '../lib/field-error.ts';

/** The object id for "does not exist" in git's protocols. */
export const zeroId = '0'.repeat(40);
/** The id of the empty tree, which git has without storing it. */
export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** Returns true for a full object id (40 lower-case hexadecimal characters). */
export function isObjectId(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}

/** Returns a valid `id`; throws AppError `invalid_request` otherwise, so that no option or expression reaches a command line. */
export function requireObjectId(id: string): string {
  if (!isObjectId(id)) throw fieldError('/commit', `: ${JSON.stringify(id.slice(0, 100))} is not a commit id.`);
  return id;
}

// oxlint-disable-next-line no-control-regex -- git forbids exactly these
const forbidden = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\.lock(?:\/|$)|(?:^|\/)\.|\.$|^\/|\/$|^-|^@$/;

/** Returns true if git accepts `name` as a branch (git-check-ref-format with `--branch`) of at most 240 bytes. */
export function isBranchName(name: string): boolean {
  return (
    name !== '' && name !== 'HEAD' && Buffer.byteLength(name) <= 240 && name.isWellFormed() && !forbidden.test(name)
  );
}

/** Returns a valid `name`; throws AppError `invalid_request` for the field at `path` otherwise. */
export function requireBranchName(name: string, path = '/ref'): string {
  if (!isBranchName(name))
    throw fieldError(path, `: ${JSON.stringify(name.slice(0, 250))} is not a valid branch name.`);
  return name;
}

/** Returns a valid full ref (`refs/…`); throws AppError `invalid_request` otherwise. */
export function requireRef(ref: string): string {
  if (!ref.startsWith('refs/') || !isBranchName(ref)) {
    throw fieldError('/ref', `: ${JSON.stringify(ref.slice(0, 250))} is not a valid ref.`);
  }
  return ref;
}
