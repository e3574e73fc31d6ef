import { findServers, isLoopback, listModels } from '../models/openAi.ts';
import { api } from './implementer.ts';

export const models = {
  find: api.models.find.handler(() => findServers()),
  list: api.models.list.handler(async ({ input }) => {
    const baseUrl = input.baseUrl.replace(/\/+$/, '');
    return { models: await listModels(baseUrl), isLoopback: isLoopback(baseUrl) };
  }),
};
