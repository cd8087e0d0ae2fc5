import type { CommandArgument, HereDoc, HereString, Redirection, Word, WordPart } from 'unbash';

/** A word of a command, as far as it is known before the command runs. */
export interface Argument {
  /** The text before the first computed part; all of it for an exact word. */
  readonly prefix: string;
  /** The text after the last computed part. */
  readonly suffix: string;
  readonly isExact: boolean;
  /** True if it may become no word, or several. */
  readonly isMany: boolean;
}

export function exactly(text: string): Argument {
  return { prefix: text, suffix: '', isExact: true, isMany: false };
}

/** Returns a word without its quotes. */
export function argumentOf(argument: CommandArgument): Argument {
  if (argument.type === 'Word') return fromParts(argument.parts, argument.value);
  const { name, value } = argument;
  if (value.type === 'ArrayValue') return exactly(`${name}=`);
  const given = argumentOf(value);
  return { ...given, prefix: `${name}=${given.prefix}` };
}

function fromParts(parts: readonly WordPart[] | undefined, value: string): Argument {
  if (parts === undefined) return exactly(value);
  let prefix = '';
  let suffix = '';
  let isExact = true;
  let isMany = false;
  const visit = (part: WordPart, isQuoted: boolean): void => {
    const text = textOf(part);
    if (text !== undefined) {
      if (isExact) prefix += text;
      else suffix += text;
    } else if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') {
      for (const child of part.parts) visit(child, true);
    } else {
      isExact = false;
      suffix = '';
      isMany ||= part.type !== 'ProcessSubstitution' && (!isQuoted || part.text.includes('@'));
    }
  };
  for (const part of parts) visit(part, false);
  return { prefix, suffix, isExact, isMany };
}

function textOf(part: WordPart): string | undefined {
  return part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted'
    ? part.value
    : undefined;
}

/** Returns true for `<(…)`: a file whose content another command prints. */
export function isPrinted(argument: CommandArgument): boolean {
  return argument.type === 'Word' && (argument.parts ?? []).some(({ type }) => type === 'ProcessSubstitution');
}

/** The text that a command reads from its standard input; undefined if another program or the caller determines it. */
export function inputOf(redirects: readonly Redirection[]): string | { file: true } | undefined {
  const last = redirects.findLast((one) => isInput(one));
  if (last === undefined) return undefined;
  if (last.type === 'HereDoc') return bodyOf(last);
  if (last.type === 'HereString') return exactText(last.target);
  return last.target !== undefined && exactText(last.target) !== undefined ? { file: true } : undefined;
}

function isInput(redirect: Redirection): boolean {
  const { descriptor } = redirect;
  if (descriptor !== undefined && !(descriptor.type === 'FileDescriptor' && descriptor.value === 0)) return false;
  return redirect.type !== 'Redirect' || ['<', '<>', '<&'].includes(redirect.operator);
}

function bodyOf({ body }: HereDoc): string | undefined {
  if (body.parts === undefined) return body.text;
  const texts = body.parts.map((part) => textOf(part));
  return texts.every((text) => text !== undefined) ? texts.join('') : undefined;
}

function exactText(target: HereString['target'] | Word): string | undefined {
  if (target === undefined) return undefined;
  const { isExact, prefix } = argumentOf(target);
  return isExact ? prefix : undefined;
}
