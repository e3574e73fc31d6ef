import { api } from './implementer.ts';

export const imports = {
  begin: api.imports.begin.handler(({ input, context }) => ({
    id: context.services.imports.begin(input.files),
  })),
  append: api.imports.append.handler(({ input: { id, ...piece }, context }) =>
    context.services.imports.append(id, piece),
  ),
  preview: api.imports.preview.handler(({ input, context }) => context.services.imports.preview(input.id)),
  start: api.imports.start.handler(({ input: { id, channel = null, learn }, context }) =>
    context.services.imports.start(id, { channel, learn }),
  ),
  cancel: api.imports.cancel.handler(({ input, context }) => context.services.imports.cancel(input.id)),
  list: api.imports.list.handler(({ context }) => ({ imports: context.services.imports.list() })),
};
