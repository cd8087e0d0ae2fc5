import { shellWord } from './shell-word.ts';

/** A setting of a repository: section as in a configuration file, name and value. */
export type Setting = readonly [section: string, name: string, value: string];

/**
 * Returns a script that sets these in `.git/config`. In a new repository (`$fresh`) it appends them to the file, because one
 * `git config` each would take longer than the checkout of a small project.
 */
export function configScript(settings: readonly Setting[]): string {
  const sections = Map.groupBy(settings, ([section]) => section);
  const lines = [...sections].flatMap(([section, set]) => [
    `[${section}]`,
    ...set.map(([, name, value]) => `\t${name} = ${fileValue(value)}`),
  ]);
  const calls = settings.map(
    ([section, name, value]) => `  own_git config ${shellWord(`${keyOf(section)}.${name}`)} ${shellWord(value)}`,
  );
  return `if [ -n "$fresh" ]; then
  printf '%s\\n' ${lines.map(shellWord).join(' ')} >> .git/config
else
${calls.join('\n')}
fi`;
}

/** Converts a section such as `remote "origin"` to the key of `git config`. */
function keyOf(section: string): string {
  return section.replace(' "', '.').replace('"', '');
}

/** Quotes a value for a configuration file. */
function fileValue(value: string): string {
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return `"${escaped}"`;
}
