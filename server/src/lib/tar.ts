/** A file for an archive. */
export interface TarFile {
  /** Relative, with `/` between its parts. */
  path: string;
  content: Buffer;
  executable: boolean;
}

const blockBytes = 512;
const maxNameBytes = 100;

/** Creates a tar archive (POSIX ustar, with GNU's long names), which any `tar -x` extracts. */
export function tarOf(files: readonly TarFile[], modifiedAt: Date): Buffer {
  const seconds = Math.floor(modifiedAt.getTime() / 1_000);
  const parts = files.flatMap(({ path, content, executable }) => {
    const name = Buffer.from(path);
    const mode = executable ? 0o755 : 0o644;
    // A path that is too long for the header is stored in an entry before it.
    const long = Buffer.concat([name, Buffer.alloc(1)]);
    const before = name.length > maxNameBytes ? entry(Buffer.from('././@LongLink'), 'L', 0o644, seconds, long) : [];
    return [...before, ...entry(name.subarray(0, maxNameBytes), '0', mode, seconds, content)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * blockBytes)]);
}

function entry(name: Buffer, type: string, mode: number, seconds: number, content: Buffer): Buffer[] {
  const header = Buffer.alloc(blockBytes);
  name.copy(header, 0);
  const field = (offset: number, width: number, value: number): void =>
    void header.write(`${value.toString(8).padStart(width - 1, '0')}\0`, offset, 'latin1');
  field(100, 8, mode);
  field(108, 8, 0);
  field(116, 8, 0);
  field(124, 12, content.length);
  field(136, 12, seconds);
  header.write(type, 156, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  // The checksum is computed with spaces in its own field.
  header.fill(' ', 148, 156);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return [header, content, Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)];
}
