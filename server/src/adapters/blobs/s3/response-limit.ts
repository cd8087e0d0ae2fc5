import { Readable, Transform } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';

/** Ten times the size of a list of 250 keys or of an error. */
const maxBytes = 1_048_576;

/** Limits responses that the client reads into memory, which are all but a blob's content, to 1 MiB. */
export function limitResponses(client: S3Client): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      const answer: { statusCode?: unknown; body?: unknown } = Object(result.response);
      const isContent = context.commandName === 'GetObjectCommand' && answer.statusCode === 200;
      if (!isContent && answer.body instanceof Readable) answer.body = limited(answer.body);
      return result;
    },
    // Low priority places it before the middleware that reads the response.
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
