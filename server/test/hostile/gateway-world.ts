import type { World } from '../support/gateway.ts';
import type { Client } from './client.ts';

export interface GatewayWorld {
  world: World;
  client: Client;
  /** The upstream of the gateway. */
  host: string;
  close(): Promise<void>;
}

/** The response of a server behind the gateway. */
export interface PeerAnswer {
  type: string;
  body: Buffer;
  headers?: Record<string, string>;
}
