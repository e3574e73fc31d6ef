import { z } from 'zod';
import { base, Timestamp } from './base.ts';

const baseUrl = z.url({ protocol: /^https?$/ });

export const FoundServer = z.object({ baseUrl: z.string(), models: z.array(z.string()) });
export type FoundServer = z.infer<typeof FoundServer>;

/** How the chosen model was last found: by a reply, or by asking its server. */
export const ModelStatus = z.object({
  model: z.string(),
  /** `unknown`: neither used nor asked since it was chosen. */
  state: z.enum(['unknown', 'ready', 'failed']),
  /** Why its last reply, or the last question to its server, failed. */
  problem: z
    .object({ code: z.string(), params: z.record(z.string(), z.union([z.string(), z.number()])) })
    .nullable(),
  /** When that was found. */
  at: Timestamp.nullable(),
});
export type ModelStatus = z.infer<typeof ModelStatus>;

export const models = {
  /** Asks the server of the chosen model whether it is there; null for Passages, which has no server. */
  check: base.output(ModelStatus.nullable()),
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
