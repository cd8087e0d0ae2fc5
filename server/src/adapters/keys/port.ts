/** The installation's root secrets. Every process of an installation shares one key ring. */
export interface KeyRing {
  /** A 32-byte key for one purpose, derived from the ring's current root; the same on every process. */
  derive(purpose: string): Buffer;
}
