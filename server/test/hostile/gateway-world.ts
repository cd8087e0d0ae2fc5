import type { World } from '../support/gateway.ts';
import type { Client } from './client.ts';

export interface GatewayWorld {
  world: World;
  client: Client;
  /** Whom the gateway asks. */
  host: string;
  close(): Promise<void>;
}

/** What a server behind the gateway answers. */
export interface PeerAnswer {
  type: string;
  body: Buffer;
  headers?: Record<string, string>;
}
