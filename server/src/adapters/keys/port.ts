/** A key encrypted with a key of the ring; may be stored anywhere. */
export interface WrappedKey {
  /** The id of the ring's key that wrapped it. */
  readonly ringKey: string;
  readonly wrapped: Buffer;
}

/** The context of a wrapped key, required to unwrap it. Not secret: a KMS writes it to its log. */
export type Binding = Readonly<Record<string, string>>;

/**
 * The installation's root keys, which wrap all others and are never stored beside them. All processes of an installation have
 * the same ones.
 */
export interface WrappingKeys {
  /** The id of the key that wraps from now on. */
  current(): Promise<string>;
  /** The ids of all keys that unwrap, including the current one. */
  ids(): Promise<readonly string[]>;
  /** Wraps a key of 16 to 64 bytes. Throws `ProviderError`. */
  wrap(key: Buffer, binding: Binding): Promise<WrappedKey>;
  /** Returns a copy that the caller may zero. Throws `ProviderError`: unknown ring key, another binding, changed bytes. */
  unwrap(wrapped: WrappedKey, binding: Binding): Promise<Buffer>;
  /** Absent if the operator manages the ring. One caller at a time; other processes see a change with their next call. */
  readonly manage?: KeyManagement;
  /** Overwrites the keys in memory. */
  close(): void;
}

interface KeyManagement {
  /** Adds a key, makes it the current one and returns its id. */
  rotate(): Promise<string>;
  /** Removes a key that is not the current one. Keys that it still wraps are lost. */
  remove(id: string): Promise<void>;
}

/** The ring of a running installation. */
export interface KeyRing extends WrappingKeys {
  /** A 32-byte key for one purpose, the same on every process and after every rotation of the ring. */
  derive(purpose: string): Buffer;
}
