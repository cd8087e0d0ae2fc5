import { Readable, Transform } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';

/** Lists of 250 keys and errors have a tenth of it. */
const maxBytes = 1_048_576;

/** Ends what the client would read whole into memory, which is all but a blob's content, beyond 1 MiB. */
export function limitAnswers(client: S3Client): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      const answer: { statusCode?: unknown; body?: unknown } = Object(result.response);
      const isContent = context.commandName === 'GetObjectCommand' && answer.statusCode === 200;
      if (!isContent && answer.body instanceof Readable) answer.body = limited(answer.body);
      return result;
    },
    // Nearer to the connection than what reads the answer.
    { name: 'limitAnswers', step: 'deserialize', priority: 'low' },
  );
}

function limited(body: Readable): Readable {
  let sizeBytes = 0;
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length;
      if (sizeBytes <= maxBytes) return done(null, chunk);
      body.destroy();
      done(new Error(`the server answered with more than ${maxBytes} bytes`));
    },
  });
  body.on('error', (error) => limit.destroy(error));
  return body.pipe(limit);
}
