import { Hub, type FromTab } from './hub.ts';

const hub = new Hub();

addEventListener('connect', (event) => {
  if (!(event instanceof MessageEvent)) return;
  const [port] = event.ports;
  if (port === undefined) return;
  port.onmessage = ({ data }: MessageEvent<FromTab>) => hub.hear(port, data);
});
