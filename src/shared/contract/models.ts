import { z } from 'zod';
import { base } from './base.ts';

const baseUrl = z.url({ protocol: /^https?$/ });

export const FoundServer = z.object({ baseUrl: z.string(), models: z.array(z.string()) });
export type FoundServer = z.infer<typeof FoundServer>;

export const models = {
  /** Chat servers on this computer's usual ports, with their models. */
  find: base.output(z.array(FoundServer)),
  list: base.input(z.object({ baseUrl })).output(z.object({ models: z.array(z.string()) })),
  /** The other computer that messages to a model go to; null if they stay on this one, or its server is away. */
  locate: base
    .input(z.object({ baseUrl, model: z.string() }))
    .output(z.object({ remoteHost: z.string().nullable() })),
  /** Is a key kept for the address? Keys themselves never come back. */
  hasKey: base.input(z.object({ baseUrl })).output(z.object({ hasKey: z.boolean() })),
  /** Keeps the key of a server, for its origin only; an empty one is taken away. */
  setKey: base.input(z.object({ baseUrl, key: z.string().trim().max(2_000) })),
};
