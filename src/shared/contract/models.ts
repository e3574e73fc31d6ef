import { z } from 'zod';
import { serverAddress } from '../address.ts';
import { base, Timestamp } from './base.ts';

const baseUrl = serverAddress(/^https?$/);

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
  /** Chat servers found on the usual ports of this computer, with their models. */
  find: base.output(z.array(FoundServer)),
  list: base.input(z.object({ baseUrl })).output(z.object({ models: z.array(z.string()) })),
  /** The models that the settings, a channel or a conversation name, whether or not they are there. */
  chosen: base.output(z.object({ models: z.array(z.string()) })),
  /** The remote host that receives messages to a model; null if they stay on this computer, or its server is down. */
  locate: base
    .input(z.object({ baseUrl, model: z.string() }))
    .output(z.object({ remoteHost: z.string().nullable() })),
  /** Is a key stored for this address? Keys themselves are never returned. */
  hasKey: base.input(z.object({ baseUrl })).output(z.object({ hasKey: z.boolean() })),
  /** Stores the key of a server, for its origin only; an empty key deletes the stored one. */
  setKey: base.input(z.object({ baseUrl, key: z.string().trim().max(2_000) })),
};
