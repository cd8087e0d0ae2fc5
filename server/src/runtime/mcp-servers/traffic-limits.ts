import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

/** Answers to a server's own requests, such as pings, that may be under way; each takes a connection over HTTP. */
const maxAnswers = 16;

/** Lets a transport leave out answers beyond the limit: the server decides how many requests it sends. */
export function limitAnswers(transport: Transport): void {
  const send = transport.send.bind(transport);
  let underWay = 0;
  transport.send = async (message, options) => {
    if ('method' in message) return send(message, options);
    if (underWay >= maxAnswers) return;
    underWay += 1;
    try {
      await send(message, options);
    } finally {
      underWay -= 1;
    }
  };
}
