import { literalPart } from './placeholders.ts';
import { type Connection } from './rules.ts';
import { fieldError } from '../../lib/field-error.ts';

/** Throws 400 for a value that the secret scanner recognizes as a credential; messages never contain it. */
export async function refuseCredentials(connection: Connection): Promise<void> {
  const { url, command, args, env, headers } = connection;
  const values: (readonly [place: string, text: string])[] = [
    ['/url', decoded(url)],
    ['/command', command],
    ...args.map((text, at) => [`/args/${at}`, text] as const),
    ...Object.entries(env).map(([name, text]) => [`/env/${name}`, text] as const),
    ...Object.entries(headers).map(([name, text]) => [`/headers/${name}`, text] as const),
  ];
  const written = values.filter(([, text]) => text !== '');
  const found = await Promise.all(written.map(async ([, text]) => isCredential(literalPart(text))));
  const [place] = written.find((_, at) => found[at] === true) ?? [];
  if (place !== undefined)
    throw fieldError(place, 'looks like a credential. Use ${NAME} in env or headers, and set the secret NAME.');
}

/** Returns true if the secret scanner recognizes a credential in a text. */
export async function isCredential(content: string): Promise<boolean> {
  const { lint, rules } = await scanner();
  const result = await lint({
    source: { content, filePath: 'value.txt', ext: '.txt', contentType: 'text' },
    options: { config: { rules }, noPhysicFilePath: true, maskSecrets: true },
  });
  return result.messages.length > 0;
}

/** Loaded with the first write, so that other processes stay small. */
async function scanner() {
  const [{ lintSource: lint }, { creator }] = await Promise.all([
    import('@secretlint/core'),
    import('@secretlint/secretlint-rule-preset-recommend'),
  ]);
  return { lint, rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }] };
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
