/**
 * Runs every step in order, even if one throws.
 * @throws the first error, once all steps have run
 */
export async function closeAll(steps: readonly (() => void | Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
