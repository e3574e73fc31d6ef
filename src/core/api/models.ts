import { findServers, listModels, withoutSlash } from '../models/modelServer.ts';
import { isLoopback } from '../models/probes.ts';
import { api } from './implementer.ts';

export const models = {
  find: api.models.find.handler(() => findServers()),
  list: api.models.list.handler(async ({ input, context: { services } }) => {
    const baseUrl = withoutSlash(input.baseUrl);
    const key = await services.keys.get(baseUrl);
    return { models: await listModels({ baseUrl, key }), isLoopback: isLoopback(baseUrl) };
  }),
  hasKey: api.models.hasKey.handler(({ input, context }) => ({
    hasKey: context.services.keys.has(input.baseUrl),
  })),
  setKey: api.models.setKey.handler(({ input, context }) =>
    context.services.keys.set(input.baseUrl, input.key),
  ),
};
