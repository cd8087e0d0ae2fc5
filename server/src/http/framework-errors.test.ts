import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { frameworkError } from './framework-errors.ts';

test('an error whose causes form a circle is not looked at forever', async () => {
  const app = Fastify();
  app.setErrorHandler((error, request, reply) => reply.send({ isKnown: frameworkError(error, request) !== undefined }));
  const error = new Error('outer');
  error.cause = new Error('inner', { cause: error });
  app.get('/', async () => {
    throw error;
  });
  expect((await app.inject('/')).json()).toEqual({ isKnown: false });
  await app.close();
});
