/**
 * Address of a worker's entry, which lies beside the file that starts it: `name.ts` when the sources run unbuilt, `name.js` in
 * the build, where entries keep flat names.
 * @param from the caller's `import.meta.url`
 */
export function workerUrl(from: string, name: string): URL {
  return new URL(from.endsWith('.ts') ? `./${name}.ts` : `./${name}.js`, from);
}
