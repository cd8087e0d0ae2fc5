import { listRefs } from '../../../git/bare.ts';
import {
  defaultMaxPushBytes,
  run,
  send,
  type Hooks,
  type RefUpdate,
  type Served,
  type ServeOptions,
} from './exchange.ts';
import { createPackJudge, packLimits } from '../../../git/pack/judge.ts';
import { judgedAfter } from '../../../git/pack/stream.ts';
import { keepLost } from './lost-commits.ts';
import { refusalOfRef } from '../../../git/ref-policy.ts';
import { readPushHead } from './push-head.ts';
import { parseReceiveReport, refusePush } from '../../../git/receive-report.ts';
import type { PushCommand, PushCommands } from '../../../git/pkt-line.ts';

const type = 'application/x-git-receive-pack-result';
const maxReportBytes = 4 * 1024 * 1024;
/** Refs that one push may change. */
const maxCommands = 5_000;

/** Serves a push: checks its commands before git gets them, and its pack while git reads it. */
export async function receivePush(options: ServeOptions, body: AsyncIterable<Uint8Array>): Promise<Served> {
  const { push, rest } = await readPushHead(body);
  if (push === undefined) return run(options, [], type, [], rest);
  const reason = checkCount(push) ?? checkRefs(push) ?? (await options.authorizePush?.(push.commands));
  if (reason !== undefined) {
    // The client reads the response only after it has sent everything.
    for await (const _ of rest) if (options.response.destroyed) break;
    return send(options, 200, type, refusePush(push, reason));
  }
  let updates: RefUpdate[] = [];
  const onUpdated = async (changed: RefUpdate[]): Promise<void> => {
    updates = changed;
    if (changed.length > 0) await options.onRefsUpdated?.(changed);
    await keepLost(options.repositoryPath, changed, options.now?.() ?? new Date());
  };
  const { pack, ...hooks } = judgePack(options, push, rest, onUpdated);
  const served = await run(options, [], type, [], pack, hooks);
  return { ...served, updates };
}

/** Returns the pack as git gets it, and hooks that hold back git's output while the push may still be refused. */
function judgePack(
  options: ServeOptions,
  push: PushCommands,
  body: AsyncIterable<Uint8Array>,
  onUpdated: (updates: RefUpdate[]) => Promise<void>,
): Hooks & { pack: AsyncIterable<Uint8Array> } {
  const { maxPushBytes: bytes = defaultMaxPushBytes, tooLarge: otherwise = 'the push is too large' } = options;
  const { allowance, packLimits: limits = packLimits } = options;
  const judge = createPackJudge({
    packed: { bytes, otherwise },
    ...(allowance === undefined ? {} : { allowance }),
    ...limits,
  });
  let isRead = false;
  let lost: string | undefined;
  const refused = (): string | undefined => judge.refused?.message ?? lost;
  async function* pack(): AsyncGenerator<Uint8Array> {
    let last: Uint8Array | undefined;
    for await (const piece of judgedAfter(push.consumed, body, judge)) {
      if (last !== undefined) yield last;
      last = piece;
    }
    // Checked again, because a pack may take an hour. Without its last piece git changes nothing.
    if (judge.refused === undefined) lost = await options.authorizePush?.(push.commands);
    if (last !== undefined && refused() === undefined) yield last;
    isRead = true;
  }
  const report: Buffer[] = [];
  let size = 0;
  return {
    pack: pack(),
    mayAnswer: () => (refused() === undefined ? (isRead ? 'yes' : 'not yet') : 'never'),
    refusal: () => refusePush(push, refused() ?? ''),
    onOutput: (chunk) => {
      if (size < maxReportBytes) report.push(chunk);
      size += chunk.length;
    },
    beforeEnd: async (complete) => {
      if (refused() !== undefined) return;
      await onUpdated(await updatesOf(options, push, complete ? Buffer.concat(report) : undefined));
    },
  };
}

function checkCount({ commands }: PushCommands): string | undefined {
  if (commands.length <= maxCommands) return undefined;
  return `a push can change at most ${maxCommands} refs, but this one changes ${commands.length}; split it into several pushes`;
}

function checkRefs({ commands }: PushCommands): string | undefined {
  for (const command of commands) {
    const reason = refusalOfRef(command);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Returns the refs that git reports as updated; without a report (not requested, or cut) reads the refs themselves. */
async function updatesOf(options: ServeOptions, push: PushCommands, output: Buffer | undefined): Promise<RefUpdate[]> {
  const report = output === undefined ? undefined : parseReceiveReport(output, push);
  const after = report === undefined ? await listRefs(options.repositoryPath, 'refs/') : undefined;
  const done = new Set(report?.ok);
  const isDone = ({ ref, new: next }: PushCommand): boolean =>
    report === undefined ? (after?.get(ref) ?? '0'.repeat(next.length)) === next : done.has(ref);
  return push.commands.filter((command) => command.old !== command.new && isDone(command));
}
