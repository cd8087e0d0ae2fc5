import { shellWord } from './shell-word.ts';

/** One setting of a repository: its section, as a configuration file has it, its name and its value. */
export type Setting = readonly [section: string, name: string, value: string];

/**
 * A script that sets these in `.git/config`. In a new repository (`$fresh`) they are appended at once: a `git config` each
 * would take longer than the checkout of a small project. One that has a configuration may have some of them.
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

/** `remote "origin"` as `git config` names it. */
function keyOf(section: string): string {
  return section.replace(' "', '.').replace('"', '');
}

/** A value as git reads it from a file, whatever it holds. */
function fileValue(value: string): string {
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return `"${escaped}"`;
}
