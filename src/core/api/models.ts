import { AppError } from '../../shared/errors.ts';
import { findServers, listModels, PROBE_MS, withoutSlash } from '../models/modelServer.ts';
import { remoteHostOf } from '../models/probes.ts';
import { api } from './implementer.ts';

export const models = {
  check: api.models.check.handler(({ context }) => context.services.models.check()),
  find: api.models.find.handler(() => findServers()),
  list: api.models.list.handler(async ({ input, context: { services } }) => {
    const baseUrl = withoutSlash(input.baseUrl);
    const key = await services.keys.get(baseUrl);
    return { models: await listModels({ baseUrl, key }) };
  }),
  chosen: api.models.chosen.handler(({ context: { services } }) => {
    const { 'chat.model': general, channelChoices } = services.settings.read();
    const ofChannels = Object.values(channelChoices).map(({ model }) => model);
    const all = [general, ...ofChannels, ...services.conversations.chosenModels()];
    return { models: [...new Set(all.flatMap((model) => (model ? [model] : [])))] };
  }),
  locate: api.models.locate.handler(async ({ input, context: { services }, signal }) => {
    const baseUrl = withoutSlash(input.baseUrl);
    const served = { baseUrl, model: input.model, key: await services.keys.get(baseUrl) };
    try {
      return { remoteHost: await remoteHostOf(served, { timeoutMs: PROBE_MS, signal }) };
    } catch (error) {
      // A server on this computer that does not answer sends nothing anywhere.
      if (error instanceof AppError) return { remoteHost: null };
      throw error;
    }
  }),
  hasKey: api.models.hasKey.handler(({ input, context }) => ({
    hasKey: context.services.keys.has(input.baseUrl),
  })),
  setKey: api.models.setKey.handler(async ({ input, context: { services } }) => {
    await services.keys.set(input.baseUrl, input.key);
    services.settings.forgetRemovedKey();
  }),
};
