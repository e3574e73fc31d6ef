import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';

/** Address of the world's only computer, behind a network that looks like any other. */
const HERE = '10.9.9.1';
const NEXT_HOP = '10.9.9.2';

export interface FakeInternet {
  /** Names that were asked for, and what was read on the usual ports. */
  hosts: Set<string>;
  /** Datagrams sent in this world, the resolver's own left out. */
  datagrams(): number;
}

/**
 * Gives this world a network with a way out, a resolver that knows every name, and ports that accept and say nothing. A browser
 * that finds itself without a network does not even try.
 */
export async function createInternet(dir: string): Promise<FakeInternet> {
  const ip = (...args: string[]) => execFileSync('ip', args);
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', 'out0', 'type', 'veth', 'peer', 'name', 'out1');
  ip('addr', 'add', `${HERE}/24`, 'dev', 'out0');
  ip('link', 'set', 'out0', 'up');
  ip('link', 'set', 'out1', 'up');
  ip('route', 'add', 'default', 'via', NEXT_HOP, 'dev', 'out0');
  isolateResolvers(dir);

  const hosts = new Set<string>();
  let answered = 0;
  const resolver = createSocket('udp4', (question, { port, address }) => {
    hosts.add(nameIn(question));
    answered += 1;
    resolver.send(answerTo(question), port, address);
  });
  await new Promise<void>((resolve) => resolver.bind(53, HERE, resolve));
  for (const port of [80, 443]) {
    await new Promise<void>((resolve) => {
      createServer((socket) => {
        // What it wants to say is enough.
        socket.on('error', () => socket.destroy());
        socket.once('data', (data) => {
          const host = /^Host: (.+)$/m.exec(data.toString('latin1'))?.[1];
          if (host !== undefined) hosts.add(host.trim());
          socket.end();
        });
      }).listen(port, HERE, resolve);
    });
  }
  return { hosts, datagrams: () => sentDatagrams() - answered };
}

/** Every look-up is made by the one who wants it, where it can be seen, and not by a daemon outside. */
function isolateResolvers(dir: string): void {
  const file = join(dir, 'resolv.conf');
  writeFileSync(file, `nameserver ${HERE}\n`);
  const usual = realpathSync('/etc/resolv.conf');
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', '/run']);
  if (usual.startsWith('/run/')) {
    mkdirSync(dirname(usual), { recursive: true });
    writeFileSync(usual, '');
  }
  execFileSync('mount', ['--bind', file, usual]);
}

/** Datagrams that this world's system has sent, over IPv4 and IPv6, to whomever. */
function sentDatagrams(): number {
  const [names = '', values = ''] = readFileSync('/proc/net/snmp', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('Udp:'));
  const four = values.split(' ')[names.split(' ').indexOf('OutDatagrams')];
  const six = /^Udp6OutDatagrams\s+(\d+)/m.exec(readFileSync('/proc/net/snmp6', 'utf8'))?.[1];
  return Number(four) + Number(six ?? 0);
}

/** The name that a DNS message asks for (RFC 1035, section 4.1.2). */
function nameIn(question: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; (question[at] ?? 0) > 0; at += (question[at] ?? 0) + 1)
    labels.push(question.toString('latin1', at + 1, at + 1 + (question[at] ?? 0)));
  return labels.join('.');
}

/** Answers a question for an IPv4 address with ours, and any other with nothing (RFC 1035, section 4.1). */
function answerTo(question: Buffer): Buffer {
  const end = 12 + nameIn(question).length + 2 + 4;
  const isForIpv4 = question.readUInt16BE(end - 4) === 1;
  const header = Buffer.alloc(12);
  question.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(isForIpv4 ? 1 : 0, 6);
  const address = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...HERE.split('.').map(Number)];
  return Buffer.concat([header, question.subarray(12, end), Buffer.from(isForIpv4 ? address : [])]);
}
