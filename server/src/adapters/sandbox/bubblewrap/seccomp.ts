import { endianness } from 'node:os';

/**
 * The seccomp filter of a sandbox, as the classic BPF program that `bwrap --seccomp` loads (linux/seccomp.h,
 * linux/filter.h). It blocks what namespaces do not contain: sockets other than unix, IP and route netlink (AF_VSOCK
 * leads to the hypervisor from any network namespace), and kernel surface that a build or an agent never needs.
 *
 * Unless the kernel `countsMemory`, it also refuses memory that belongs to no process: anonymous files (memfd_create), and
 * System V segments beyond what PostgreSQL needs to lock its directory.
 */
export function buildSeccompFilter(architecture: string, { countsMemory }: { countsMemory: boolean }): Buffer {
  const table = tables[architecture];
  if (table === undefined) throw new Error(`no system call table for ${architecture}`);
  const program: Instruction[] = [
    load(offsets.architecture),
    // Call numbers differ between architectures, so programs of another one are killed.
    ...when(table.audit, [], [answer(actions.kill)]),
    load(offsets.number),
  ];
  // x32 numbers are aliases of the same calls.
  if (table.x32 !== undefined) program.push(jumpIf('>=', table.x32, 0, 1), answer(actions.error(errors.ENOSYS)));
  for (const number of table.missing) program.push(...when(number, [answer(actions.error(errors.ENOSYS))], []));
  for (const number of table.refused) program.push(...when(number, [answer(actions.error(errors.EPERM))], []));
  if (!countsMemory) {
    for (const number of table.uncounted) program.push(...when(number, [answer(actions.error(errors.ENOSYS))], []));
    program.push(...when(table.shmget, segmentRules(), []));
  }
  program.push(...when(table.socket, socketRules(), []));
  program.push(answer(actions.allow));
  return encode(program);
}

/** True if there is a filter for an architecture of Node's `process.arch`. */
export function hasSeccompTable(architecture: string): boolean {
  return tables[architecture] !== undefined;
}

interface Instruction {
  code: number;
  ifTrue: number;
  ifFalse: number;
  value: number;
}

interface Table {
  /** AUDIT_ARCH_* of linux/audit.h. */
  audit: number;
  x32?: number;
  socket: number;
  /** Refused as unknown to the kernel, so that libraries fall back to older calls. */
  missing: number[];
  refused: number[];
  /** Calls that create files in memory outside of any directory. */
  uncounted: number[];
  shmget: number;
}

/** Numbers from 424 on are the same on all architectures. */
const newCalls = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  pidfd_getfd: 438,
  mount_setattr: 442,
  quotactl_fd: 443,
  open_tree_attr: 467,
} as const;
/** memfd_secret; memfd_create's number differs by architecture. */
const memfdSecret = 447;
const missing = [newCalls.io_uring_setup, newCalls.io_uring_enter, newCalls.io_uring_register];
const refusedNew = Object.values(newCalls).filter((number) => !missing.some((one) => one === number));

const tables: Record<string, Table> = {
  x64: {
    audit: 0xc000003e,
    x32: 0x40000000,
    socket: 41,
    shmget: 29,
    uncounted: [319, memfdSecret],
    missing,
    refused: [
      ...Object.values({
        ptrace: 101,
        syslog: 103,
        uselib: 134,
        pivot_root: 155,
        adjtimex: 159,
        acct: 163,
        settimeofday: 164,
        mount: 165,
        umount2: 166,
        swapon: 167,
        swapoff: 168,
        reboot: 169,
        sethostname: 170,
        setdomainname: 171,
        iopl: 172,
        ioperm: 173,
        init_module: 175,
        delete_module: 176,
        quotactl: 179,
        lookup_dcookie: 212,
        clock_settime: 227,
        kexec_load: 246,
        add_key: 248,
        request_key: 249,
        keyctl: 250,
        unshare: 272,
        move_pages: 279,
        perf_event_open: 298,
        fanotify_init: 300,
        open_by_handle_at: 304,
        clock_adjtime: 305,
        setns: 308,
        process_vm_readv: 310,
        process_vm_writev: 311,
        kcmp: 312,
        finit_module: 313,
        kexec_file_load: 320,
        bpf: 321,
        userfaultfd: 323,
      }),
      ...refusedNew,
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    socket: 198,
    shmget: 194,
    uncounted: [279, memfdSecret],
    missing,
    refused: [
      ...Object.values({
        lookup_dcookie: 18,
        umount2: 39,
        mount: 40,
        pivot_root: 41,
        quotactl: 60,
        acct: 89,
        unshare: 97,
        kexec_load: 104,
        init_module: 105,
        delete_module: 106,
        clock_settime: 112,
        syslog: 116,
        ptrace: 117,
        reboot: 142,
        sethostname: 161,
        setdomainname: 162,
        settimeofday: 170,
        adjtimex: 171,
        add_key: 217,
        request_key: 218,
        keyctl: 219,
        swapon: 224,
        swapoff: 225,
        move_pages: 239,
        perf_event_open: 241,
        fanotify_init: 262,
        open_by_handle_at: 265,
        clock_adjtime: 266,
        setns: 268,
        process_vm_readv: 270,
        process_vm_writev: 271,
        kcmp: 272,
        finit_module: 273,
        bpf: 280,
        userfaultfd: 282,
        kexec_file_load: 294,
      }),
      ...refusedNew,
    ],
  },
};

/** Byte offsets in struct seccomp_data. Arguments by their low half, all that the kernel reads of an int. */
const offsets = { number: 0, architecture: 4, argument0: 16, argument1: 24, argument1High: 28, argument2: 32 } as const;
const errors = { EPERM: 1, ENOMEM: 12, ENOSYS: 38, EAFNOSUPPORT: 97 } as const;
const actions = {
  allow: 0x7fff0000,
  kill: 0x80000000,
  error: (number: number) => 0x00050000 | number,
} as const;
const families = { AF_UNIX: 1, AF_INET: 2, AF_INET6: 10, AF_NETLINK: 16 } as const;
const netlinkRoute = 0;
const largestSegmentBytes = 64 * 1024;

/** Rules for shmget: the kernel allows 4,096 segments, which then hold at most 256 MB. */
function segmentRules(): Instruction[] {
  const tooLarge = answer(actions.error(errors.ENOMEM));
  return [
    load(offsets.argument1High),
    jumpIf('>=', 1, 0, 1),
    tooLarge,
    load(offsets.argument1),
    jumpIf('>=', largestSegmentBytes + 1, 0, 1),
    tooLarge,
    answer(actions.allow),
  ];
}

function socketRules(): Instruction[] {
  return [
    load(offsets.argument0),
    ...when(families.AF_UNIX, [answer(actions.allow)], []),
    ...when(families.AF_INET, [answer(actions.allow)], []),
    ...when(families.AF_INET6, [answer(actions.allow)], []),
    ...when(
      families.AF_NETLINK,
      // os.networkInterfaces() and `ip` need the routing protocol; other protocols configure firewalls, audit and more.
      [load(offsets.argument2), ...when(netlinkRoute, [answer(actions.allow)], [])],
      [],
    ),
    answer(actions.error(errors.EAFNOSUPPORT)),
  ];
}

function load(offset: number): Instruction {
  return { code: 0x20, ifTrue: 0, ifFalse: 0, value: offset };
}

function answer(action: number): Instruction {
  return { code: 0x06, ifTrue: 0, ifFalse: 0, value: action };
}

function jumpIf(comparison: '==' | '>=', value: number, ifTrue: number, ifFalse: number): Instruction {
  return { code: comparison === '==' ? 0x15 : 0x35, ifTrue, ifFalse, value };
}

/** Runs `yes` if the loaded word is `value`, else `no`; only one of them may be non-empty. */
function when(value: number, yes: Instruction[], no: Instruction[]): Instruction[] {
  return [jumpIf('==', value, no.length, yes.length), ...yes, ...no];
}

/** Encodes struct sock_filter in the machine's byte order. */
function encode(program: Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  const little = endianness() === 'LE';
  for (const [index, { code, ifTrue, ifFalse, value }] of program.entries()) {
    const at = index * 8;
    if (little) bytes.writeUInt16LE(code, at);
    else bytes.writeUInt16BE(code, at);
    bytes.writeUInt8(ifTrue, at + 2);
    bytes.writeUInt8(ifFalse, at + 3);
    if (little) bytes.writeUInt32LE(value, at + 4);
    else bytes.writeUInt32BE(value, at + 4);
  }
  return bytes;
}
