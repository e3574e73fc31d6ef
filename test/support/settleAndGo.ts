import { createApp } from '../../src/core/app.ts';

/**
 * A process that closes, restores, erases or changes embedder while something waits for the vectors to settle. Prints `ended`
 * once every call has returned, then ends by itself. Arguments: the data folder, the action, the folder of another model.
 */
const [dataDir, act, model] = process.argv.slice(2) as [string, 'close' | 'erase' | 'change', string];
const app = createApp({ dataDir, version: 'test' });
const { services, client } = app;
await services.vectors.settled();
for (let index = 0; index < 300; index += 1) await client.facts.add({ content: `Fait numéro ${index}` });
const waiting = services.vectors.settled();
if (act === 'close') await app.close();
else if (act === 'erase') await client.data.erase();
else await client.app.changeSettings({ embedder: model });
await waiting;
if (act !== 'close') await app.close();
console.log('ended');
