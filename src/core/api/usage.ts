import { readUsage } from '../lifecycle/figures.ts';
import { api } from './implementer.ts';

export const usage = {
  read: api.usage.read.handler(({ input, context }) => readUsage(context.services, input.days)),
};
