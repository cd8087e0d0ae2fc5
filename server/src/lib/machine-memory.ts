import { totalmem } from 'node:os';

const mebibyte = 2 ** 20;
/** What stays for the server, its database, git and the kernel: an eighth, within these bounds, in MiB. */
const reserve = { share: 1 / 8, leastMb: 512, mostMb: 8_192 };

/** How the memory of a machine is shared out, in MiB. */
export interface MachineMemory {
  /** The machine's, or that of the container which it is to us. */
  readonly totalMb: number;
  /** What all sandboxes may take together: the rest is for what runs them. */
  readonly sandboxesMb: number;
  /** What one sandbox may take where the operator does not say: half of the machine's. */
  readonly sandboxMb: number;
}

export function machineMemory(
  bytes: number = Math.min(totalmem(), process.constrainedMemory() || Infinity),
): MachineMemory {
  const totalMb = Math.floor(bytes / mebibyte);
  const half = Math.floor(totalMb / 2);
  const wanted = Math.min(reserve.mostMb, Math.max(reserve.leastMb, Math.floor(totalMb * reserve.share)));
  const sandboxesMb = totalMb - Math.min(half, wanted);
  return { totalMb, sandboxesMb, sandboxMb: Math.min(half, sandboxesMb) };
}
