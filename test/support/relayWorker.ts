import { type MessagePort, workerData } from 'node:worker_threads';

/** Relays messages between two ports, so that they cross a thread. */
const [one, other] = (workerData as { ports: [MessagePort, MessagePort] }).ports;
one.on('message', (message) => other.postMessage(message));
other.on('message', (message) => one.postMessage(message));
one.on('close', () => other.close());
other.on('close', () => one.close());
