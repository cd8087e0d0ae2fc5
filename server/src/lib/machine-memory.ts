import { totalmem } from 'node:os';

const mebibyte = 2 ** 20;
/** The share of memory reserved for the server, its database, git and the kernel: an eighth, within these bounds, in MiB. */
const reserve = { share: 1 / 8, leastMb: 512, mostMb: 8_192 };

/** The division of a machine's memory, in MiB. */
export interface MachineMemory {
  /** The memory of the machine, or of the container that this process runs in. */
  readonly totalMb: number;
  /** The limit of all sandboxes together; the rest is reserved. */
  readonly sandboxesMb: number;
  /** The default limit of one sandbox: half of the machine's memory. */
  readonly sandboxMb: number;
}

/** Read once: each read of a container's limit opens files, and keeps the event loop waiting. */
let ofThisMachine: number | undefined;

/** Divides the memory of this machine, or of one with so many bytes. */
export function machineMemory(
  bytes: number = (ofThisMachine ??= Math.min(totalmem(), process.constrainedMemory() || Infinity)),
): MachineMemory {
  const totalMb = Math.floor(bytes / mebibyte);
  const half = Math.floor(totalMb / 2);
  const wanted = Math.min(reserve.mostMb, Math.max(reserve.leastMb, Math.floor(totalMb * reserve.share)));
  const sandboxesMb = totalMb - Math.min(half, wanted);
  return { totalMb, sandboxesMb, sandboxMb: Math.min(half, sandboxesMb) };
}
