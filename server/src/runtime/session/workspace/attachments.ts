import type { Sandbox } from '../../../adapters/sandbox/port.ts';
import { attachmentsOf, type SessionFile } from '../../../features/attachments/service.ts';
import { attachmentIdsOf } from '../../../features/sessions/run/turn-service.ts';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { SessionSandbox } from './sandboxes.ts';

/** Size of one write to the sandbox. */
const pieceBytes = 4 * 1_048_576;
const pieceTimeoutMs = 60_000;

/** Ids of the attachments that each sandbox has. */
const placed = new WeakMap<Sandbox, Set<string>>();
/** Ids of the attachments that a run's agent is told of. */
const told = new WeakMap<Attempt['run'], Set<string>>();

/** Joins messages into one text, with the paths of their attachments. */
export async function messageText(
  attempt: Pick<Attempt, 'ctx' | 'run'>,
  messages: readonly { content: string; attachment_ids: readonly string[] }[],
): Promise<string> {
  const ids = messages.flatMap(({ attachment_ids }) => attachment_ids);
  told.set(attempt.run, new Set([...(told.get(attempt.run) ?? []), ...ids]));
  const files = ids.length === 0 ? [] : await listFiles(attempt, ids);
  const known = new Map(files.map((file) => [file.id, file]));
  return messages
    .map(({ content, attachment_ids }) => {
      const attached = attachment_ids.flatMap((id) => known.get(id) ?? []);
      if (attached.length === 0) return content;
      const lines = attached.map((file) => `- ~/${file.place} (${file.contentType}, ${file.sizeBytes} bytes)`);
      return `${content}\n\nAttached files:\n${lines.join('\n')}`;
    })
    .join('\n\n');
}

/** Writes attachments that the sandbox does not have yet: of every message into a new one, then of those told since. */
export async function placeAttachments(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'events' | 'blobs'>,
  { sandbox }: SessionSandbox,
): Promise<void> {
  const { ctx, run } = attempt;
  const known = placed.get(sandbox);
  const there = known ?? new Set<string>();
  const ids = known === undefined ? await attachmentIdsOf(ctx, run) : [...(told.get(run) ?? [])];
  const wanted = ids.filter((id) => !there.has(id));
  if (wanted.length === 0) return void placed.set(sandbox, there);
  const files = (await listFiles(attempt)).filter(({ id }) => wanted.includes(id));
  const gone = wanted.filter((id) => !files.some((file) => file.id === id));
  for (const id of gone) attempt.events.warn('attachment_missing', `The attachment ${id} was deleted.`);
  for (const file of files) await writeAttachment(attempt, sandbox, file);
  for (const id of wanted) there.add(id);
  placed.set(sandbox, there);
}

async function writeAttachment(
  attempt: Pick<Attempt, 'control' | 'events' | 'blobs'>,
  sandbox: Sandbox,
  file: AttachedFile,
): Promise<void> {
  const path = `${sandbox.home}/${file.place}`;
  const content = await attempt.blobs.use((blobs) => blobs.get(file.blob));
  if (content === undefined) return attempt.events.warn('attachment_missing', `The attachment ${file.id} was deleted.`);
  try {
    await sandbox.writeFile(path, '');
    let pieces: Buffer[] = [];
    let size = 0;
    for await (const chunk of content) {
      pieces.push(Buffer.from(chunk));
      size += chunk.length;
      if (size < pieceBytes) continue;
      await append(attempt, sandbox, path, Buffer.concat(pieces));
      pieces = [];
      size = 0;
    }
    await append(attempt, sandbox, path, Buffer.concat(pieces));
  } catch (error) {
    attempt.control.signal.throwIfAborted();
    if (error instanceof ProviderError) throw error;
    attempt.events.warn(
      'attachment_missing',
      `Failed to write the attachment ${file.name} into the sandbox: ${messageOf(error)}`,
    );
  } finally {
    content.destroy();
  }
}

async function append(attempt: Pick<Attempt, 'control'>, sandbox: Sandbox, path: string, stdin: Buffer): Promise<void> {
  const { signal } = attempt.control;
  const command = ['sh', '-c', 'cat >> "$0"', path];
  const { exitCode, stderr } = await sandbox.exec({ command, stdin, timeoutMs: pieceTimeoutMs, signal });
  if (exitCode !== 0) throw new Error(stderr.toString('utf8').trim() || `exit code ${exitCode}`);
}

interface AttachedFile extends SessionFile {
  /** Relative to the home directory. */
  place: string;
}

/**
 * Returns the attachments of the session's messages and `more`, in their order. The first with a name keeps it, so that
 * prompts can refer to it; later ones get the end of their id as a prefix.
 */
async function listFiles(
  { ctx, run }: Pick<Attempt, 'ctx' | 'run'>,
  more: readonly string[] = [],
): Promise<AttachedFile[]> {
  const ids = [...new Set([...(await attachmentIdsOf(ctx, run)), ...more])];
  const taken = new Set<string>();
  return (await attachmentsOf(ctx, run.orgId, ids)).map((file) => {
    const plain = file.name.replaceAll(/[^\p{Letter}\p{Number}._-]+/gu, '-').replace(/^[.-]+/, '') || 'file';
    const name = taken.has(plain) ? `${file.id.slice(-6)}-${plain}` : plain;
    taken.add(plain);
    return { ...file, place: `attachments/${name}` };
  });
}
