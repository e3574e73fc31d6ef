import { api } from './implementer.ts';

export const facts = {
  list: api.facts.list.handler(({ input, context }) => ({
    facts: context.services.facts.list(input),
  })),
  history: api.facts.history.handler(({ input, context }) => ({
    facts: context.services.facts.history(input.id),
    mergedAt: context.services.merging.lastMerge(input.id),
  })),
  proposeMerge: api.facts.proposeMerge.handler(({ input, context }) =>
    context.services.merging.propose(input.ids),
  ),
  merge: api.facts.merge.handler(({ input, context }) => context.services.merging.merge(input)),
  unmerge: api.facts.unmerge.handler(({ input, context }) => ({
    facts: context.services.merging.unmerge(input.id),
  })),
  aliases: api.facts.aliases.handler(({ context }) => ({ people: context.services.factStore.people.list() })),
  add: api.facts.add.handler(({ input: { anchor, ...fact }, context: { services } }) =>
    services.facts.add({
      ...fact,
      anchor: anchor ? services.drift.anchorOf(anchor, fact.content) : null,
    }),
  ),
  stale: api.facts.stale.handler(({ context }) => ({ facts: context.services.drift.list() })),
  settleStale: api.facts.settleStale.handler(({ input, context }) => context.services.drift.settle(input)),
  edit: api.facts.edit.handler(({ input: { id, ...change }, context }) =>
    context.services.facts.edit(id, change),
  ),
  confirm: api.facts.confirm.handler(({ input, context }) => context.services.confirming.confirm(input.ids)),
  undoConfirm: api.facts.undoConfirm.handler(({ input, context }) => ({
    facts: context.services.confirming.undo(input.undo),
  })),
  remove: api.facts.remove.handler(({ input, context }) => ({
    facts: context.services.facts.remove(input.ids),
  })),
  undoLearnt: api.facts.undoLearnt.handler(({ input, context }) =>
    context.services.facts.undoLearnt(input.id, input.turnId),
  ),
  restore: api.facts.restore.handler(async ({ input, context: { services } }) => {
    await services.forget.bringBack({ facts: input.ids, conversations: [] });
    return { facts: services.facts.getAll(input.ids) };
  }),
};
