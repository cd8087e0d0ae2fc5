import { tarOf, type TarFile } from '../../../lib/tar.ts';
import { tailText } from '../log/output.ts';
import type { ContextInput } from './context-provider.ts';

/** Directories of skills, relative to the home: most agents read the first, Claude Code the second. */
export const skillHome = '.agents/skills';
const copyHome = '.claude/skills';

/** A skill's directory name and files. */
export interface SkillBundle {
  name: string;
  files: readonly TarFile[];
}

const timeoutMs = 60_000;
/** Size of one write to the sandbox. */
const pieceBytes = 8 * 1_048_576;

/**
 * Takes the names of the skills as arguments, and replaces skills of the same name. Removes symlinks of the setup, which would
 * lead files of the home into the repository.
 */
const script = `set -eu
umask 022
cd "$0"
for place in .agents ${skillHome} .claude ${copyHome}; do if [ -L "$place" ]; then rm -f "$place"; fi; done
mkdir -p ${skillHome} ${copyHome}
cd "$0/${copyHome}"
rm -rf -- "$@"
cd "$0/${skillHome}"
rm -rf -- "$@"
tar -xf -
cp -R -- "$@" "$0/${copyHome}/"`;

/**
 * Writes skills into the sandbox in batches, and returns the names of the written ones. With a full disk the session
 * continues without the skills.
 */
export async function placeSkills(input: ContextInput, bundles: AsyncIterable<SkillBundle>): Promise<Set<string>> {
  const there = new Set<string>();
  let waiting: SkillBundle[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    const piece = waiting;
    [waiting, size] = [[], 0];
    if (piece.length > 0 && (await write(input, piece))) for (const { name } of piece) there.add(name);
  };
  for await (const bundle of bundles) {
    waiting.push(bundle);
    size += bundle.files.reduce((sum, { content }) => sum + content.length, 0);
    if (size >= pieceBytes) await flush();
  }
  await flush();
  return there;
}

async function write(
  { attempt, sessionSandbox: { sandbox } }: ContextInput,
  bundles: readonly SkillBundle[],
): Promise<boolean> {
  const { ctx, control } = attempt;
  const names = bundles.map(({ name }) => name);
  const files = bundles.flatMap((bundle) =>
    bundle.files.map((file) => ({ ...file, path: `${bundle.name}/${file.path}` })),
  );
  const { exitCode, stderr } = await sandbox.exec({
    command: ['sh', '-c', script, sandbox.home, ...names],
    stdin: tarOf(files, ctx.clock.now()),
    timeoutMs,
    signal: control.signal,
  });
  if (exitCode === 0) return true;
  const why = tailText(stderr).trim() || `exit code ${exitCode}`;
  attempt.events.warn('skill_missing', `Failed to write these skills into the sandbox: ${names.join(', ')}: ${why}`);
  return false;
}
